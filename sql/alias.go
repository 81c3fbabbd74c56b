package sql

// Alias is a spelling of another engine that a statement was written in. The tree is
// that of the canonical spelling: nothing behind the parser knows the difference.
type Alias struct {
	Engine    string // whose spelling it is
	Written   string // the spelling in general; with Engine it says which alias this is
	Canonical string // how ssql writes it
	Always    bool   // it is said at each use, for data may be lost
	Span      Span   // where it stands
}

// aliasID is a row of aliasRules.
type aliasID uint8

const (
	aliasAlterTable aliasID = iota
	aliasAlterTableDrop
	aliasAppendOnly
	aliasArroyoSink
	aliasArroyoSource
	aliasArroyoWindow
	aliasCancelJobs
	aliasCreateFlow
	aliasCreateSource
	aliasCreateTable
	aliasCreateTableAs
	aliasCsvHeader
	aliasDropSource
	aliasEmitAfter
	aliasEmitChangelog
	aliasEmitChanges
	aliasEmitFinal
	aliasEmitPeriodic
	aliasEmitUpdateBatch
	aliasEncode
	aliasExplainPlan
	aliasExplainQuery
	aliasExternalStream
	aliasGracePeriod
	aliasGroupWindow
	aliasInclude
	aliasJob
	aliasJSONPath
	aliasKsqlTable
	aliasKsqlHopping
	aliasKsqlSession
	aliasKsqlTumbling
	aliasLimitChanges
	aliasList
	aliasMapPairs
	aliasMatchCondition
	aliasMaterializedTable
	aliasMemoryTable
	aliasPrint
	aliasQueryless
	aliasSeekTo
	aliasSettings
	aliasSinkAs
	aliasSinkFrom
	aliasSinkType
	aliasSparkWindow
	aliasStatementSet
	aliasStream
	aliasStreamAs
	aliasStreamingTable
	aliasStreamingTableOnly
	aliasTableCall
	aliasTableSink
	aliasTableWindow
	aliasTerminate
	aliasTimestampOption
	aliasUnset
	aliasWindowBounds
	aliasWithin
)

// aliasRules is the table of foreign spellings (docs/SPELLINGS.md).
var aliasRules = [...]Alias{
	aliasAlterTable:         {Engine: "Flink", Written: "ALTER TABLE t MODIFY WATERMARK FOR ts AS ts - d", Canonical: "ALTER STREAM t SET WATERMARK ts - d"},
	aliasAlterTableDrop:     {Engine: "Flink", Written: "ALTER TABLE t DROP WATERMARK", Canonical: "ALTER STREAM t DROP WATERMARK"},
	aliasAppendOnly:         {Engine: "RisingWave", Written: "CREATE TABLE t (..) APPEND ONLY", Canonical: "CREATE STREAM t (..) WITH (connector = 'memory')"},
	aliasArroyoSink:         {Engine: "Arroyo", Written: "CREATE TABLE t (..) WITH (.., type = 'sink')", Canonical: "CREATE SINK t (..) WITH (..)"},
	aliasArroyoSource:       {Engine: "Arroyo", Written: "CREATE TABLE t (..) WITH (.., type = 'source')", Canonical: "CREATE STREAM t (..) WITH (..)"},
	aliasArroyoWindow:       {Engine: "Arroyo", Written: "GROUP BY TUMBLE(interval)", Canonical: "FROM TUMBLE(s, ts, interval) GROUP BY window_start, window_end"},
	aliasCancelJobs:         {Engine: "RisingWave", Written: "CANCEL JOBS q", Canonical: "STOP QUERY q"},
	aliasCreateFlow:         {Engine: "Databricks", Written: "CREATE FLOW f AS INSERT INTO t BY NAME ..", Canonical: "CREATE QUERY f AS INSERT INTO t BY NAME .."},
	aliasCreateSource:       {Engine: "RisingWave", Written: "CREATE SOURCE s (..) WITH (..)", Canonical: "CREATE STREAM s (..) WITH (..)"},
	aliasCreateTable:        {Engine: "Flink", Written: "CREATE TABLE t (..) WITH ('connector' = ..)", Canonical: "CREATE STREAM t (..) WITH (connector = ..)"},
	aliasCreateTableAs:      {Engine: "Flink, ksqlDB", Written: "CREATE TABLE t AS SELECT .. of a stream", Canonical: "CREATE MATERIALIZED VIEW t AS SELECT .."},
	aliasCsvHeader:          {Engine: "Flink, ksqlDB", Written: "format 'csv'", Canonical: "format 'csv', header = false"},
	aliasDropSource:         {Engine: "RisingWave", Written: "DROP SOURCE s", Canonical: "DROP STREAM s"},
	aliasEmitAfter:          {Engine: "Proton", Written: "EMIT AFTER WINDOW CLOSE", Canonical: "EMIT ON WINDOW CLOSE"},
	aliasEmitChangelog:      {Engine: "Proton", Written: "EMIT CHANGELOG", Canonical: "EMIT ON UPDATE"},
	aliasEmitChanges:        {Engine: "ksqlDB", Written: "EMIT CHANGES", Canonical: "EMIT ON UPDATE"},
	aliasEmitFinal:          {Engine: "ksqlDB", Written: "EMIT FINAL", Canonical: "EMIT ON WINDOW CLOSE"},
	aliasEmitPeriodic:       {Engine: "Proton", Written: "EMIT PERIODIC d", Canonical: "EMIT ON UPDATE EVERY d"},
	aliasEmitUpdateBatch:    {Engine: "Proton", Written: "EMIT ON UPDATE WITH BATCH d", Canonical: "EMIT ON UPDATE EVERY d"},
	aliasEncode:             {Engine: "RisingWave", Written: "FORMAT PLAIN ENCODE JSON", Canonical: "FORMAT JSON"},
	aliasExplainPlan:        {Engine: "Flink", Written: "EXPLAIN PLAN FOR ..", Canonical: "EXPLAIN .."},
	aliasExplainQuery:       {Engine: "ksqlDB", Written: "EXPLAIN q", Canonical: "EXPLAIN QUERY q"},
	aliasExternalStream:     {Engine: "Proton", Written: "CREATE EXTERNAL STREAM s (..)", Canonical: "CREATE STREAM s (..) WITH (..)"},
	aliasGracePeriod:        {Engine: "ksqlDB", Written: "GRACE PERIOD d", Canonical: "EMIT .. WITH DELAY d, or the delay of WATERMARK FOR ts AS ts - d"},
	aliasGroupWindow:        {Engine: "Flink", Written: "GROUP BY TUMBLE(ts, interval)", Canonical: "FROM TUMBLE(s, ts, interval) GROUP BY window_start, window_end"},
	aliasInclude:            {Engine: "RisingWave", Written: "INCLUDE key AS name", Canonical: "name type METADATA FROM 'key'"},
	aliasJob:                {Engine: "Flink", Written: "STOP JOB 'q'", Canonical: "STOP QUERY q"},
	aliasJSONPath:           {Engine: "Databricks, Proton", Written: "payload:user.id", Canonical: "payload ->> '$.user.id'"},
	aliasKsqlTable:          {Engine: "ksqlDB", Written: "CREATE TABLE t AS SELECT k, x FROM s WINDOW ..", Canonical: "CREATE MATERIALIZED VIEW t AS SELECT k, window_start AS WINDOWSTART, window_end AS WINDOWEND, x FROM .."},
	aliasKsqlHopping:        {Engine: "ksqlDB", Written: "FROM s WINDOW HOPPING (SIZE d, ADVANCE BY e) GROUP BY k", Canonical: "FROM HOP(s, e, d) GROUP BY window_start, window_end, k"},
	aliasKsqlSession:        {Engine: "ksqlDB", Written: "FROM s WINDOW SESSION (d) GROUP BY k", Canonical: "FROM SESSION(s, d) GROUP BY window_start, window_end, k"},
	aliasKsqlTumbling:       {Engine: "ksqlDB", Written: "FROM s WINDOW TUMBLING (SIZE d) GROUP BY k", Canonical: "FROM TUMBLE(s, d) GROUP BY window_start, window_end, k"},
	aliasLimitChanges:       {Engine: "ksqlDB", Written: "EMIT CHANGES LIMIT n of rows that are not grouped", Canonical: "LIMIT n"},
	aliasList:               {Engine: "ksqlDB", Written: "LIST", Canonical: "SHOW"},
	aliasMapPairs:           {Engine: "Flink", Written: "MAP[k, v]", Canonical: "MAP {k: v}"},
	aliasMatchCondition:     {Engine: "Spark", Written: "ASOF JOIN t MATCH_CONDITION (a.ts >= t.ts) ON a.k = t.k", Canonical: "ASOF JOIN t ON a.k = t.k AND a.ts >= t.ts"},
	aliasMaterializedTable:  {Engine: "Flink", Written: "CREATE OR ALTER MATERIALIZED TABLE t AS ..", Canonical: "CREATE OR REPLACE MATERIALIZED VIEW t AS .."},
	aliasMemoryTable:        {Engine: "RisingWave", Written: "CREATE TABLE t (.., WATERMARK ..) without a connector", Canonical: "CREATE STREAM t (..) WITH (connector = 'memory')"},
	aliasPrint:              {Engine: "ksqlDB", Written: "PRINT s", Canonical: "PEEK s"},
	aliasQueryless:          {Engine: "ksqlDB", Written: "PAUSE q", Canonical: "PAUSE QUERY q"},
	aliasSeekTo:             {Engine: "Proton", Written: "SETTINGS seek_to = 'earliest'", Canonical: "nothing: a query begins with the first row"},
	aliasSettings:           {Engine: "Proton", Written: "SETTINGS key = value", Canonical: "WITH (key = value)"},
	aliasSinkAs:             {Engine: "Flink, ksqlDB", Written: "CREATE TABLE t WITH (..) AS SELECT ..", Canonical: "CREATE SINK t WITH (..) AS SELECT .."},
	aliasSinkFrom:           {Engine: "RisingWave", Written: "CREATE SINK s FROM v WITH (..)", Canonical: "CREATE SINK s WITH (..) AS SELECT * FROM v"},
	aliasSinkType:           {Engine: "RisingWave", Written: "CREATE SINK s .. WITH (type = 'append-only')", Canonical: "nothing: append is the mode of a query unless EMIT says another"},
	aliasSparkWindow:        {Engine: "Spark", Written: "GROUP BY window(ts, size)", Canonical: "FROM TUMBLE(s, ts, size) GROUP BY window_start, window_end"},
	aliasStatementSet:       {Engine: "Flink", Written: "BEGIN STATEMENT SET; .. END", Canonical: "EXECUTE STATEMENT SET BEGIN .. END"},
	aliasStream:             {Engine: "Databricks", Written: "FROM STREAM(s)", Canonical: "FROM s"},
	aliasStreamAs:           {Engine: "ksqlDB", Written: "CREATE STREAM s AS SELECT ..", Canonical: "CREATE VIEW s AS SELECT .."},
	aliasStreamingTable:     {Engine: "Databricks", Written: "CREATE OR REFRESH STREAMING TABLE t AS ..", Canonical: "CREATE MATERIALIZED VIEW t AS .. EMIT ON WINDOW CLOSE: rows are appended when they are final"},
	aliasStreamingTableOnly: {Engine: "Databricks", Written: "CREATE OR REFRESH STREAMING TABLE t (..)", Canonical: "CREATE TABLE t (..), which queries write to; without columns the first query makes it"},
	aliasTableCall:          {Engine: "Proton", Written: "FROM table(s)", Canonical: "FROM s"},
	aliasTableSink:          {Engine: "Flink", Written: "CREATE TABLE t (..) WITH ('connector' = 'print')", Canonical: "CREATE SINK t (..) WITH (connector = 'console')"},
	aliasTableWindow:        {Engine: "Flink", Written: "TABLE(f(TABLE s, DESCRIPTOR(ts), ..)), f a window", Canonical: "f(s, ts, ..)"},
	aliasTerminate:          {Engine: "ksqlDB", Written: "TERMINATE q", Canonical: "STOP QUERY q"},
	aliasTimestampOption:    {Engine: "ksqlDB", Written: "WITH (timestamp = 'ts')", Canonical: "WATERMARK FOR ts AS ts"},
	aliasUnset:              {Engine: "ksqlDB", Written: "UNSET 'key'", Canonical: "RESET key"},
	aliasWindowBounds:       {Engine: "ksqlDB", Written: "WINDOWSTART, WINDOWEND", Canonical: "window_start, window_end"},
	aliasWithin:             {Engine: "ksqlDB", Written: "JOIN t WITHIN d ON ..", Canonical: "JOIN t ON .. AND a.ts BETWEEN b.ts - d AND b.ts + d"},
}

// spelling notes that the tokens from lo to the cursor are a foreign spelling.
func (p *parser) spelling(id aliasID, lo int) {
	p.noteAlias(aliasRules[id], p.spanFrom(lo))
}

// noteAlias notes a foreign spelling; one that was met already is not noted again.
func (p *parser) noteAlias(a Alias, at Span) {
	for _, known := range p.aliases {
		if known.Engine == a.Engine && known.Written == a.Written {
			return
		}
	}
	a.Span = at
	p.aliases = append(p.aliases, a)
}

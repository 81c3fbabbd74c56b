#!/usr/bin/env python3
"""Makes the files of this folder, by the tools that people make them with.

    python3 -m venv V; V/bin/pip install pandas polars pyarrow openpyxl
    V/bin/python make.py [NAME …]        # beside it: nginx, PostgreSQL (psql, initdb), logrotate, a JDK; what is
                                         # missing is said, and its files stay as they are

Files that no tool here makes (Excel, SQL Server, cloud services, kubectl, journald) are written as their documents show
them; each says so below. The files are small on purpose: what matters is their form.
"""
import csv, datetime as dt, decimal, gzip, io, json, logging, logging.handlers, math, os, pathlib, random
import shutil, subprocess, sys, tempfile, textwrap, time

HERE = pathlib.Path(__file__).resolve().parent
MAKERS = {}


def maker(*names):
    def add(f):
        for n in names:
            MAKERS[n] = f
        return f
    return add


def write(name, data):
    if isinstance(data, str):
        data = data.encode()
    (HERE / name).write_bytes(data)


T0 = dt.datetime(2026, 3, 1, 10, 0, 0)


def rows(n=6):
    """The same readings for most files: (id, device, at, value, ok)."""
    out = []
    for i in range(n):
        out.append((i + 1, "abc"[i % 3], T0 + dt.timedelta(seconds=30 * i), round(20.5 + i * 0.25, 2), i % 2 == 0))
    return out


# ---------------------------------------------------------------- pandas

@maker("pandas.csv", "pandas_index.csv", "pandas_lines.json", "pandas_records.json", "pandas_none.parquet",
       "pandas_category.parquet", "pandas_nullable.parquet", "pandas_ns.parquet")
def pandas_files():
    import numpy as np
    import pandas as pd
    r = rows()
    df = pd.DataFrame({"id": [x[0] for x in r], "device": [x[1] for x in r], "at": [x[2] for x in r], "value": [x[3] for x in r], "ok": [x[4] for x in r]})
    df.loc[2, "value"] = np.nan
    df.to_csv(HERE / "pandas.csv", index=False)
    df.to_csv(HERE / "pandas_index.csv")  # the first column of the header has no name
    df.to_json(HERE / "pandas_lines.json", orient="records", lines=True, date_format="iso")
    df.to_json(HERE / "pandas_records.json", orient="records", date_format="iso")
    none = df.copy()
    none["note"] = None  # a column of the null type
    none.to_parquet(HERE / "pandas_none.parquet", index=False)
    cat = df.copy()
    cat["device"] = cat["device"].astype("category")
    cat.to_parquet(HERE / "pandas_category.parquet", index=False)
    nul = pd.DataFrame({"id": pd.array([1, None, 3], dtype="Int64"), "ok": pd.array([True, None, False], dtype="boolean"), "s": pd.array(["x", None, ""], dtype="string")})
    nul.to_parquet(HERE / "pandas_nullable.parquet", index=False)
    ns = pd.DataFrame({"at": pd.to_datetime(["2026-03-01 10:00:00.123456789", None, "2026-03-01 10:00:01"], format="ISO8601").astype("datetime64[ns]"),
                       "utc": pd.to_datetime(["2026-03-01 10:00:00", "2026-03-01 11:00:00", None]).tz_localize("Europe/Berlin"), "v": [1, 2, 3]})
    ns.to_parquet(HERE / "pandas_ns.parquet", index=False)


# ---------------------------------------------------------------- polars, pyarrow

@maker("polars.parquet", "polars_nested.parquet", "polars.ndjson", "polars.csv")
def polars_files():
    import polars as pl
    r = rows()
    df = pl.DataFrame({"id": [x[0] for x in r], "device": [x[1] for x in r], "at": [x[2] for x in r], "value": [x[3] for x in r], "ok": [x[4] for x in r]})
    df.with_columns(pl.col("device").cast(pl.Categorical), pl.lit(None).alias("note")).write_parquet(HERE / "polars.parquet")
    df.write_ndjson(HERE / "polars.ndjson")
    df.write_csv(HERE / "polars.csv")
    nested = pl.DataFrame({"id": [1, 2, 3], "tags": [["a", "b"], [], None],
                           "pos": [{"lat": 52.5, "lon": 13.4}, {"lat": None, "lon": 0.0}, None],
                           "day": [dt.date(2026, 3, 1), None, dt.date(2026, 3, 2)], "u": pl.Series([1, 2, 255], dtype=pl.UInt8)})
    nested.write_parquet(HERE / "polars_nested.parquet")


@maker("arrow_decimal.parquet", "arrow_dictionary.parquet", "arrow_map.parquet", "arrow_widths.parquet")
def arrow_files():
    import pyarrow as pa
    import pyarrow.parquet as pq
    d = decimal.Decimal
    pq.write_table(pa.table({"id": pa.array([1, 2, 3], pa.int32()), "price": pa.array([d("19.99"), None, d("-0.05")], pa.decimal128(7, 2)),
                             "big": pa.array([d("12345678901234567890.1234"), d("0"), None], pa.decimal128(30, 4))}), HERE / "arrow_decimal.parquet")
    pq.write_table(pa.table({"k": pa.array(["x", "y", "x", None]).dictionary_encode(), "n": pa.array([1, 2, 3, 4], pa.int16())}), HERE / "arrow_dictionary.parquet", write_page_checksum=True)
    pq.write_table(pa.table({"id": [1, 2], "m": pa.array([[("a", 1), ("b", 2)], []], pa.map_(pa.string(), pa.int64())),
                             "l": pa.array([[{"x": 1, "y": "u"}], None], pa.list_(pa.struct([("x", pa.int64()), ("y", pa.string())])))}), HERE / "arrow_map.parquet")
    pq.write_table(pa.table({"i8": pa.array([-1, 127], pa.int8()), "i64": pa.array([1, 2**40], pa.int64()), "f32": pa.array([1.5, None], pa.float32()),
                             "day": pa.array([dt.date(2026, 3, 1), None]), "t": pa.array([dt.time(10, 0, 1), None], pa.time64("us")), "b": pa.array([b"abc", b"\x00\xff"], pa.binary())}), HERE / "arrow_widths.parquet")


# ---------------------------------------------------------------- spreadsheets and databases: CSV

@maker("excel_semicolon.csv", "excel_utf16.txt", "excel_sep.csv", "excel_mac_cr.csv")
def excel_files():
    # As Excel saves them: "CSV (delimited)" with the German list separator and decimal comma, CRLF; "CSV UTF-8" has a BOM;
    # "Unicode text" is UTF-16 with tabs; "CSV (Macintosh)" ends its lines by CR; sep=; is read by Excel only.
    head, lines = ["Zeit", "Gerät", "Wert"], [["01.03.2026 10:00:00", "a", "20,5"], ["01.03.2026 10:00:30", "b; neu", "20,75"], ["01.03.2026 10:01:00", "c", ""]]
    def text(delimiter, end, rows):
        f = io.StringIO()
        w = csv.writer(f, delimiter=delimiter, lineterminator=end)
        w.writerows(rows)
        return f.getvalue()
    write("excel_semicolon.csv", b"\xef\xbb\xbf" + text(";", "\r\n", [head] + lines).encode())
    write("excel_utf16.txt", b"\xff\xfe" + text("\t", "\r\n", [head] + lines).encode("utf-16-le"))
    write("excel_sep.csv", "sep=;\r\n" + text(";", "\r\n", [["id", "name", "n"], ["1", "x", "3"], ["2", "y", "4"]]))
    write("excel_mac_cr.csv", text(",", "\r", [["id", "name", "n"], ["1", "x", "3"], ["2", "y", "4"]]))


@maker("sqlserver_results.csv", "sqlserver_bcp.txt", "sqlserver_utf16.csv")
def sqlserver_files():
    # As SQL Server writes them: Management Studio's "Save Results As" has no header and the word NULL; bcp -c -t"|" neither
    # quotes nor has a header; the export wizard writes UTF-16 with a BOM.
    write("sqlserver_results.csv", b"\xef\xbb\xbf" + "1,a,2026-03-01 10:00:00.000,20.50\r\n2,NULL,2026-03-01 10:00:30.000,NULL\r\n3,c,2026-03-01 10:01:00.000,21.00\r\n".encode())
    write("sqlserver_bcp.txt", "1|a|2026-03-01 10:00:00.0000000|20.50\r\n2||2026-03-01 10:00:30.0000000|\r\n3|\"c|2026-03-01 10:01:00.0000000|21.00\r\n")
    write("sqlserver_utf16.csv", b"\xff\xfe" + "Id,Device,At\r\n1,a,2026-03-01 10:00:00.000\r\n2,\"b, neu\",2026-03-01 10:00:30.000\r\n".encode("utf-16-le"))


@maker("postgres_copy.csv", "postgres_copy.txt", "postgres_copy_header_null.csv", "psql_aligned.txt", "postgres_json.json")
def postgres_files():
    if not shutil.which("initdb") and not list(pathlib.Path("/usr/lib/postgresql").glob("*/bin")):
        return "PostgreSQL"
    bins = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    tmp = pathlib.Path(tempfile.mkdtemp(prefix="wildpg", dir="/tmp"))
    as_user = []
    if os.geteuid() == 0:
        shutil.chown(tmp, "nobody")
        as_user = ["setpriv", "--reuid=nobody", "--clear-groups"]
    run = lambda *a, **k: subprocess.run([*as_user, *map(str, a)], check=True, stdout=subprocess.PIPE, cwd=tmp, **k).stdout
    run(bins / "initdb", "-D", tmp / "d", "-U", "u", "-A", "trust", "-E", "UTF8", "--locale=C")
    run(bins / "pg_ctl", "-D", tmp / "d", "-o", f"-k {tmp} -h ''", "-l", tmp / "log", "-w", "start")
    try:
        psql = lambda q, *o: run(bins / "psql", "-h", tmp, "-U", "u", "-d", "postgres", "-qX", *o, "-c", q)
        psql("""CREATE TABLE r(id int, device text, at timestamptz, value numeric(7,2), tags text[], j jsonb, raw bytea, ok bool);
                INSERT INTO r VALUES (1,'a','2026-03-01 10:00:00+00',20.50,'{x,y}','{"n": 1}','abc',true),
                (2,E'b "quoted", and\na second line','2026-03-01 10:00:30.25+00',NULL,'{}',NULL,NULL,false),
                (3,'','2026-03-01 10:01:00+00',-0.05,NULL,'[1, 2]','\\x00ff',NULL),
                (4,E'tab\there \\\\ backslash',NULL,21,'{"a b"}','"s"','\\x',true)""")
        psql("SET timezone='UTC'")
        write("postgres_copy.csv", psql("SET timezone='UTC'; COPY r TO STDOUT (FORMAT csv, HEADER)"))
        write("postgres_copy.txt", psql("SET timezone='UTC'; COPY r TO STDOUT"))
        write("postgres_copy_header_null.csv", psql("SET timezone='UTC'; COPY (SELECT id, device, value FROM r) TO STDOUT (FORMAT csv, HEADER, NULL '\\N', FORCE_QUOTE *)"))
        write("psql_aligned.txt", psql("SELECT id, value, ok FROM r"))
        write("postgres_json.json", psql("SELECT row_to_json(r) FROM (SELECT id, device, value, tags, j, ok FROM r) r", "-At"))
    finally:
        subprocess.run([*as_user, str(bins / "pg_ctl"), "-D", str(tmp / "d"), "-m", "fast", "stop"], stdout=subprocess.DEVNULL, cwd=tmp)
        shutil.rmtree(tmp)


@maker("inches.csv", "ragged.csv", "no_newline_at_end.csv", "spaces.csv", "header_only.csv", "latin1.csv", "duplicate_header.csv", "comma_in_header.csv")
def odd_csv():
    # Forms that no one tool makes, but many people have.
    write("inches.csv", "id,item,price\n1,pipe,3.50\n2,\"5 inch pipe,4.00\n3,elbow,1.25\n4,\"6\"\" pipe\",4.75\n5,\"6 inch pipe,5.00\n6,valve,9.00\n")
    write("ragged.csv", "id,name,n\n1,a,1\n2,b\n3,c,3,extra\n4,d,4\n\n5,e,5\n")
    write("no_newline_at_end.csv", "id,name\n1,a\n2,b")
    write("spaces.csv", "id, name , n\n 1, a ,1\n2 ,b, 2\n")
    write("header_only.csv", "id,name\n")
    write("latin1.csv", "id,name\n1,M\xfcller\n2,Meier\n".encode("latin-1"))
    write("duplicate_header.csv", "id,name,name\n1,a,b\n2,c,d\n")
    write("comma_in_header.csv", "\"Time (UTC)\";\"Humidity, %\";Temp\n2026-03-01 10:00:00;40,5;20,1\n2026-03-01 10:00:30;41;20,2\n")


# ---------------------------------------------------------------- logs

@maker("nginx_combined.log", "nginx_json.log")
def nginx_files():
    if not shutil.which("nginx"):
        return "nginx"
    import http.client
    tmp = pathlib.Path(tempfile.mkdtemp(prefix="wildng"))
    (tmp / "c").write_text(textwrap.dedent(f"""
        daemon off; pid {tmp}/pid; error_log {tmp}/err; {'user root;' if os.geteuid() == 0 else ''}
        events {{}}
        http {{
          log_format js escape=json '{{"time":"$time_iso8601","status":$status,"request":"$request","agent":"$http_user_agent","seconds":$request_time,"upstream":"$upstream_response_time"}}';
          access_log {tmp}/a combined; access_log {tmp}/j js;
          client_body_temp_path {tmp}; proxy_temp_path {tmp}; fastcgi_temp_path {tmp}; uwsgi_temp_path {tmp}; scgi_temp_path {tmp};
          server {{ listen 127.0.0.1:18473; location / {{ return 200 'ok'; }} location /no {{ return 404; }} }}
        }}"""))
    p = subprocess.Popen(["nginx", "-p", str(tmp), "-c", str(tmp / "c")])
    try:
        for i, (path, agent) in enumerate([("/", "curl/8.5"), ("/a?x=1&y=%20", 'odd "quoted" agent'), ("/no", "Mozilla/5.0 (X11; Linux x86_64)"), ("/\u00fc".encode().decode("latin-1"), ""), ("/", "back\\slash\ttab")]):
            for _ in range(50):
                try:
                    c = http.client.HTTPConnection("127.0.0.1", 18473)
                    c.putrequest("GET", path if path.isascii() else "/%C3%BC")
                    c.putheader("User-Agent", agent)
                    c.endheaders()
                    c.getresponse().read()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.1)
    finally:
        p.terminate(); p.wait()
    write("nginx_combined.log", (tmp / "a").read_bytes())
    write("nginx_json.log", (tmp / "j").read_bytes())
    shutil.rmtree(tmp)


@maker("python_logging.log", "python_json.log")
def python_logs():
    tmp = pathlib.Path(tempfile.mkdtemp())
    class Json(logging.Formatter):
        def format(self, r):
            out = {"ts": r.created, "level": r.levelname, "logger": r.name, "msg": r.getMessage()}
            if r.exc_info:
                out["exc"] = self.formatException(r.exc_info).replace(str(HERE), ".")
            return json.dumps(out)
    log = logging.getLogger("app.worker")
    log.setLevel("DEBUG"); log.propagate = False
    plain, js = logging.FileHandler(tmp / "p"), logging.FileHandler(tmp / "j")
    plain.setFormatter(logging.Formatter("%(asctime)s %(levelname)s [%(name)s] %(message)s"))
    js.setFormatter(Json())
    log.addHandler(plain); log.addHandler(js)
    log.info("started with %d workers", 4)
    log.warning("queue is %s", {"depth": 17, "max": 20})
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("job 7 failed")
    log.info("done: \u00fc \u2713")
    logging.shutdown()
    write("python_logging.log", (tmp / "p").read_text().replace(str(HERE), "."))
    write("python_json.log", (tmp / "j").read_bytes())
    shutil.rmtree(tmp)


@maker("java_util_logging.log", "java_util_logging.xml")
def java_logs():
    if not shutil.which("java"):
        return "a JDK"
    tmp = pathlib.Path(tempfile.mkdtemp())
    (tmp / "L.java").write_text("""
        import java.util.logging.*;
        public class L { public static void main(String[] a) throws Exception {
          Logger l = Logger.getLogger("shop.Orders"); l.setUseParentHandlers(false);
          FileHandler s = new FileHandler("s"), x = new FileHandler("x"); s.setFormatter(new SimpleFormatter()); x.setFormatter(new XMLFormatter());
          l.addHandler(s); l.addHandler(x);
          l.info("order 1 taken"); l.warning("stock is low: 3 < 5");
          try { Integer.parseInt("seven"); } catch (Exception e) { l.log(Level.SEVERE, "order 2 failed", e); }
          s.close(); x.close(); } }""")
    subprocess.run(["java", "L.java"], cwd=tmp, check=True, env={**os.environ, "LC_ALL": "C", "TZ": "UTC"})
    write("java_util_logging.log", (tmp / "s").read_bytes())
    write("java_util_logging.xml", (tmp / "x").read_bytes())
    shutil.rmtree(tmp)


@maker("app.log", "app.log.1", "app.log.2.gz")
def logrotate_files():
    if not shutil.which("logrotate"):
        return "logrotate"
    tmp = pathlib.Path(tempfile.mkdtemp(prefix="wildlr"))
    os.chmod(tmp, 0o755)
    (tmp / "conf").write_text(f"{tmp}/app.log {{\n rotate 3\n compress\n delaycompress\n missingok\n}}\n")
    for part in range(3):
        with open(tmp / "app.log", "a") as f:
            for i in range(3):
                f.write(json.dumps({"n": part * 3 + i + 1, "at": (T0 + dt.timedelta(minutes=part * 10 + i)).isoformat() + "Z"}) + "\n")
        if part < 2:
            subprocess.run(["logrotate", "-f", "-s", str(tmp / "state"), str(tmp / "conf")], check=True)
    for name in ("app.log", "app.log.1", "app.log.2.gz"):
        write(name, (tmp / name).read_bytes())
    shutil.rmtree(tmp)


@maker("journald.json", "kubectl.log", "docker_json.log", "klog.log", "syslog.log", "json_seq.json")
def other_logs():
    # journald.json: journalctl -o json (fields are text, binary messages lists of numbers); kubectl.log: kubectl logs --timestamps
    # --prefix; docker_json.log: Docker's json-file driver; klog.log: Kubernetes components; syslog.log: RFC 3164; json_seq.json:
    # RFC 7464 as journalctl -o json-seq writes it.
    j = [{"__CURSOR": "s=1;i=1", "__REALTIME_TIMESTAMP": "1772359200000000", "PRIORITY": "6", "_SYSTEMD_UNIT": "cron.service", "MESSAGE": "started"},
         {"__CURSOR": "s=1;i=2", "__REALTIME_TIMESTAMP": "1772359230123456", "PRIORITY": "3", "_SYSTEMD_UNIT": "web.service", "MESSAGE": [27, 91, 51, 49, 109, 98, 97, 100]},
         {"__CURSOR": "s=1;i=3", "__REALTIME_TIMESTAMP": "1772359260000000", "PRIORITY": "6", "_SYSTEMD_UNIT": None, "MESSAGE": "done"}]
    write("journald.json", "".join(json.dumps(x) + "\n" for x in j))
    write("json_seq.json", "".join("\x1e" + json.dumps({"n": i + 1, "unit": x["_SYSTEMD_UNIT"]}) + "\n" for i, x in enumerate(j)))
    write("kubectl.log", "[pod/web-6d4cf56db6-x2x7q/web] 2026-03-01T10:00:00.123456789Z GET / 200\n[pod/web-6d4cf56db6-x2x7q/web] 2026-03-01T10:00:01.5Z {\"level\":\"warn\",\"msg\":\"slow\"}\n[pod/web-6d4cf56db6-abcde/sidecar] 2026-03-01T10:00:02Z  \n")
    write("docker_json.log", '{"log":"GET / 200\\n","stream":"stdout","time":"2026-03-01T10:00:00.123456789Z"}\n{"log":"\\u001b[31merror\\u001b[0m: x\\r\\n","stream":"stderr","time":"2026-03-01T10:00:01.5Z"}\n{"log":"no line end","stream":"stdout","time":"2026-03-01T10:00:02Z"}\n')
    write("klog.log", "I0301 10:00:00.000123       1 server.go:120] \"Started\" addr=\":8080\"\nE0301 10:00:30.000001       1 reflector.go:9] failed: <nil>\nW0301 10:01:00.000000       7 x.go:1] done\n")
    write("syslog.log", "<34>Mar  1 10:00:00 host su[77]: 'su root' failed\n<13>Mar  1 10:00:30 host app: line two\n<13>Mar  1 10:01:00 host app: \n")


# ---------------------------------------------------------------- JSON of services

@maker("firehose.json", "cloudtrail.json", "bulk.ndjson", "pretty.json", "jq_array_of_arrays.json", "ndjson_arrays.json", "keys_of_case.json",
       "cr_lines.json", "bom.json", "utf16.json", "mixed_types.json", "geojson.json", "numbers.json")
def json_files():
    # firehose.json: Amazon Data Firehose joins records without line ends; cloudtrail.json: one object with Records; bulk.ndjson: the
    # body of Elasticsearch's _bulk; the rest by json.dumps in the forms that people print.
    ev = [{"id": i + 1, "k": "abc"[i % 3], "at": (T0 + dt.timedelta(seconds=30 * i)).isoformat() + "Z", "v": 20.5 + i} for i in range(4)]
    write("firehose.json", "".join(json.dumps(e, separators=(",", ":")) for e in ev))
    write("cloudtrail.json", json.dumps({"Records": [{"eventTime": "2026-03-01T10:00:0%dZ" % i, "eventName": n, "sourceIPAddress": "198.51.100.7", "requestParameters": p} for i, (n, p) in enumerate([("GetObject", {"bucketName": "b"}), ("ListBuckets", None), ("PutObject", {"bucketName": "b", "key": "k"})])]}))
    write("bulk.ndjson", "".join('{"index":{"_index":"logs","_id":"%d"}}\n%s\n' % (e["id"], json.dumps(e)) for e in ev))
    write("pretty.json", "\n".join(json.dumps(e, indent=2) for e in ev) + "\n")
    write("jq_array_of_arrays.json", json.dumps([[e["id"], e["k"]] for e in ev]) + "\n")
    write("ndjson_arrays.json", json.dumps(ev[:2]) + "\n" + json.dumps(ev[2:]) + "\n")
    write("keys_of_case.json", '{"Image":"one","n":1}\n{"image":"two","n":2}\n{"IMAGE":"three","n":3}\n')
    write("cr_lines.json", "\r".join(json.dumps(e) for e in ev) + "\r")
    write("bom.json", b"\xef\xbb\xbf" + "".join(json.dumps(e) + "\r\n" for e in ev).encode())
    write("utf16.json", b"\xff\xfe" + "".join(json.dumps(e) + "\r\n" for e in ev).encode("utf-16-le"))
    write("mixed_types.json", '{"id":1,"v":1}\n{"id":2,"v":"two"}\n{"id":3,"v":[3]}\n{"id":4,"v":{"x":4}}\n{"id":5,"v":null}\n{"id":6}\n')
    write("geojson.json", json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [13.4, 52.5]}, "properties": {"name": "a"}}]}, indent=1) + "\n")
    write("numbers.json", '{"id":1,"n":12345678901234567890,"d":0.1}\n{"id":2,"n":-1,"d":1e400}\n{"id":3,"n":9007199254740993,"d":-0.0}\n{"id":4,"n":null,"d":NaN}\n')


def main():
    names = sys.argv[1:] or sorted(MAKERS)
    missing = {}
    for f in dict.fromkeys(MAKERS[n] for n in names):
        lacks = f()
        if lacks:
            missing[f.__name__] = lacks
    for name, lacks in missing.items():
        print(f"{name}: {lacks} is not on this machine, its files stay as they are", file=sys.stderr)
    print(f"{len(MAKERS)} files")


if __name__ == "__main__":
    main()

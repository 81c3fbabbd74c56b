package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signals answers those that ask a process to end. Ctrl-C, SIGTERM and SIGHUP let the running
// batch be committed first; a second SIGTERM or SIGHUP ends the process at once, which a query
// survives as it does a crash. Ctrl-C at a prompt ends nothing.
type signals struct {
	// interrupts is what the shell answers while a statement runs.
	interrupts chan os.Signal
	exit       func(code int) // os.Exit

	mu    sync.Mutex
	code  int         // of the signal that came, 0 before
	shell shellSignal // nil while there is none
	idle  func()      // closes everything when the shell only waits for input
}

// shellSignal is what of a shell a signal needs.
type shellSignal interface {
	// End makes the shell leave behind the running statement; busy is false when there is
	// none, and nobody will look.
	End() (busy bool)
}

// exitOfSignal is the status of a process that a signal ended, as shells give it.
func exitOfSignal(s os.Signal) int {
	number, ok := s.(syscall.Signal)
	if !ok {
		return exitSQL
	}
	return 128 + int(number)
}

// watchSignals begins to answer signals.
func watchSignals() *signals {
	s := &signals{interrupts: make(chan os.Signal, 8), exit: os.Exit}
	came := make(chan os.Signal, 8)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(came, syscall.SIGHUP)
	}
	go func() {
		for sig := range came {
			s.answer(sig)
		}
	}()
	return s
}

func (s *signals) answer(sig os.Signal) {
	s.mu.Lock()
	shell, idle, again := s.shell, s.idle, s.code != 0
	ends := sig != os.Interrupt || shell == nil
	if ends && !again {
		s.code = exitOfSignal(sig)
	}
	s.mu.Unlock()
	switch {
	case !ends:
		s.interrupt(sig)
	case again || shell == nil:
		s.exit(exitOfSignal(sig))
	case shell.End():
		s.interrupt(sig)
	default:
		idle()
		s.exit(exitOfSignal(sig))
	}
}

// interrupt hands a signal to the shell. It is dropped when the shell has eight to answer.
func (s *signals) interrupt(sig os.Signal) {
	select {
	case s.interrupts <- sig:
	default:
	}
}

// attach makes signals those of a shell.
func (s *signals) attach(shell shellSignal, idle func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shell, s.idle = shell, idle
}

// status returns the exit code of a process that has ended with code: that of the signal,
// if one came.
func (s *signals) status(code int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.code != 0 {
		return s.code
	}
	return code
}

package org.weft.it.nfs.peers;

import java.util.List;

/**
 * One thing that a peer is to do.
 *
 * @param peer the program or library
 * @param what it does, for the report
 * @param programs that must be there
 * @param body fails if the peer sees anything wrong
 */
record PeerCheck(String peer, String what, List<String> programs, Body body) {
  /** What is done. */
  @FunctionalInterface
  interface Body {
    void run() throws Exception;
  }

  PeerCheck {
    programs = List.copyOf(programs);
  }

  static PeerCheck of(String program, String what, Body body) {
    return new PeerCheck(program, what, List.of(program), body);
  }
}

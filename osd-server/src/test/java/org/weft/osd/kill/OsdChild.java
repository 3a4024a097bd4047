package org.weft.osd.kill;

import org.weft.osd.OsdDaemon;
import org.weft.osd.harness.ChildOptions;
import org.weft.protocol.system.SystemEnvironment;

/**
 * The process that is killed. Arguments: data directory, SysMgr, join token in hexadecimal. Prints
 * {@code READY host:port}; stops cleanly when its standard input ends, so that it never outlives
 * the test.
 */
public final class OsdChild {
  /** Small, so that space is reused and segments are grown while the test runs. */
  static final long CAPACITY_BYTES = 96 << 20;

  private OsdChild() {}

  public static void main(String[] args) throws Exception {
    var options = ChildOptions.of(args, CAPACITY_BYTES);
    try (SystemEnvironment system = SystemEnvironment.create();
        OsdDaemon daemon = OsdDaemon.start(options, system.environment())) {
      System.out.println("READY " + daemon.address());
      while (System.in.read() >= 0) {
        // The parent sends nothing: only the end of the stream matters.
      }
    }
  }
}

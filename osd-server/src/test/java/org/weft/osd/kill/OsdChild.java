package org.weft.osd.kill;

import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import org.weft.osd.OsdDaemon;
import org.weft.osd.OsdOptions;
import org.weft.osd.harness.OsdRig;
import org.weft.osd.store.Durability;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.system.SystemEnvironment;

/**
 * The process that is killed. Arguments: data directory, SysMgr, join token in hexadecimal. Prints
 * {@code READY host:port}; stops cleanly when its standard input ends, so that it never outlives
 * the test.
 */
public final class OsdChild {
  /** Small, so that space is reused and segments are grown while the test runs. */
  static final long CAPACITY_BYTES = 96 << 20;

  private static final long JOIN_TIMEOUT_MILLIS = 30_000;

  private OsdChild() {}

  public static void main(String[] args) throws Exception {
    var options =
        new OsdOptions(
            Path.of(args[0]),
            OsdRig.ANY_PORT,
            OsdRig.ANY_PORT,
            List.of(Endpoint.parse(args[1])),
            HexFormat.of().parseHex(args[2]),
            "host-1",
            OptionalLong.of(CAPACITY_BYTES),
            1,
            Durability.WRITE_BACK,
            JOIN_TIMEOUT_MILLIS);
    try (SystemEnvironment system = SystemEnvironment.create();
        OsdDaemon daemon = OsdDaemon.start(options, system.environment())) {
      System.out.println("READY " + daemon.address());
      while (System.in.read() >= 0) {
        // The parent sends nothing: only the end of the stream matters.
      }
    }
  }
}

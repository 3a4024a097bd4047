package org.weft.osd.harness;

import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import org.weft.osd.OsdOptions;
import org.weft.osd.store.Durability;
import org.weft.protocol.rpc.Endpoint;

/** How an OSD starts that a test has put into a process of its own. */
public final class ChildOptions {
  private static final long JOIN_TIMEOUT_MILLIS = 30_000;

  private ChildOptions() {}

  /**
   * Write-back, at any free port.
   *
   * @param arguments data directory, SysMgr, join token in hexadecimal
   */
  public static OsdOptions of(String[] arguments, long capacityBytes) {
    return new OsdOptions(
            Path.of(arguments[0]),
            OsdRig.ANY_PORT,
            OsdRig.ANY_PORT,
            List.of(Endpoint.parse(arguments[1])),
            HexFormat.of().parseHex(arguments[2]),
            "host-1",
            OptionalLong.of(capacityBytes),
            1,
            Durability.WRITE_BACK)
        .withJoinTimeoutMillis(JOIN_TIMEOUT_MILLIS);
  }
}

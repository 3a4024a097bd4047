package org.weft.osd.crowd;

import io.netty.util.internal.PlatformDependent;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.weft.osd.OsdDaemon;
import org.weft.osd.harness.ChildOptions;
import org.weft.protocol.system.SystemEnvironment;

/**
 * The process that the crowd comes to. Arguments: data directory, SysMgr, join token in
 * hexadecimal. Prints {@code READY host:port}; answers each line of its input with {@code HELD} and
 * the bytes of its heap and of its memory outside, after a collection; stops cleanly when its input
 * ends, so that it never outlives the test.
 */
public final class SmallOsd {
  private static final long CAPACITY_BYTES = 256 << 20;

  private SmallOsd() {}

  public static void main(String[] args) throws Exception {
    var options = ChildOptions.of(args, CAPACITY_BYTES);
    try (SystemEnvironment system = SystemEnvironment.create();
        OsdDaemon daemon = OsdDaemon.start(options, system.environment());
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      System.out.println("READY " + daemon.address());
      while (in.readLine() != null) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long heapBytes = runtime.totalMemory() - runtime.freeMemory();
        System.out.println("HELD " + heapBytes + " " + PlatformDependent.usedDirectMemory());
      }
    }
  }
}

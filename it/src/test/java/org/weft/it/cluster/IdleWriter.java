package org.weft.it.cluster;

import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;

/**
 * A process that opens a file for changes and writes one unit of {@link #WRITTEN} at its beginning.
 * It prints {@link #DONE}, and keeps the file open until it is killed.
 */
final class IdleWriter {
  static final byte WRITTEN = 3;
  static final int UNIT = 4096;
  static final String DONE = "written";

  private IdleWriter() {}

  /** Arguments: SysMgr's port and the file. */
  public static void main(String[] arguments) throws Exception {
    try (SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient client =
            DaemonCluster.connect(
                Integer.parseInt(arguments[0]), "idle-writer", system, callbacks)) {
      WeftFile file = client.fileSystem().openForUpdate(WeftPath.of(arguments[1])).get();
      byte[] unit = new byte[UNIT];
      Arrays.fill(unit, WRITTEN);
      file.write(0, ByteBuffer.wrap(unit)).get();
      System.out.println(DONE);
      System.in.transferTo(OutputStream.nullOutputStream());
    }
  }
}

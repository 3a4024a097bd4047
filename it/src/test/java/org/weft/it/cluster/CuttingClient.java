package org.weft.it.cluster;

import java.nio.ByteBuffer;
import java.util.Random;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;

/**
 * A process that shares a file, fills it and cuts it, again and again until it is killed. Prints
 * {@code cut BYTES} before each cut and {@code done} after it; ends with the first call that fails.
 */
final class CuttingClient {
  static final int MAX_BYTES = 600_000;

  private CuttingClient() {}

  /** What the file holds before it is cut. */
  static byte[] content() {
    byte[] content = new byte[MAX_BYTES];
    new Random(35).nextBytes(content);
    return content;
  }

  /** Arguments: SysMgr's port, the file, and a number that the lengths follow from. */
  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    byte[] content = content();
    Random random = new Random(Long.parseLong(arguments[2]));
    try (SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient client = DaemonCluster.connect(port, "cutting-client", system, callbacks)) {
      WeftFile file = client.fileSystem().openForUpdate(WeftPath.of(arguments[1]), true).get();
      while (true) {
        file.write(0, ByteBuffer.wrap(content)).get();
        int cut = random.nextInt(MAX_BYTES);
        System.out.println("cut " + cut);
        file.setLength(cut).get();
        System.out.println("done");
      }
    }
  }
}

package org.weft.it.cluster;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.weft.client.WeftClient;
import org.weft.client.WeftFile;
import org.weft.client.WeftFileSystem;
import org.weft.client.WeftPath;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;

/**
 * A process that changes files at random until it is killed. Prints {@code begin CHANGE} before,
 * and {@code done NUMBER} after each change; ends with the first that fails.
 */
final class UpdatingClient {
  private UpdatingClient() {}

  /**
   * Arguments: SysMgr's port, the first change's number, then the files.
   *
   * <p>The changes follow from their numbers.
   */
  public static void main(String[] arguments) throws Exception {
    int port = Integer.parseInt(arguments[0]);
    long number = Long.parseLong(arguments[1]);
    List<String> files = List.of(arguments).subList(2, arguments.length);
    try (SystemEnvironment system = SystemEnvironment.create();
        OwnedExecutor callbacks = system.environment().scheduler().newSerialExecutor("callbacks");
        WeftClient client = DaemonCluster.connect(port, "updating-client", system, callbacks)) {
      WeftFileSystem weft = client.fileSystem();
      Random random = new Random(number);
      Map<Integer, WeftFile> open = new TreeMap<>();
      while (true) {
        FileChange change = FileChange.random(++number, files.size(), random);
        System.out.println("begin " + change);
        WeftFile file = open.remove(change.file());
        if (file == null) {
          file = weft.openForUpdate(WeftPath.of(files.get(change.file()))).get();
        }
        if (carryOut(change, file)) {
          open.put(change.file(), file);
        }
        System.out.println("done " + change.number());
      }
    }
  }

  /** False if the file is closed afterwards. */
  private static boolean carryOut(FileChange change, WeftFile file) throws Exception {
    switch (change.kind()) {
      case WRITE -> file.write(change.position(), ByteBuffer.wrap(change.bytes())).get();
      case SET_LENGTH -> file.setLength(change.position()).get();
      case PUNCH -> file.punch(change.position(), change.length()).get();
      case FLUSH -> {
        if (change.length() % 2 == 0) {
          file.hsync().get();
        } else {
          file.hflush().get();
        }
      }
      case REOPEN -> {
        var unused = file.close().get();
        return false;
      }
    }
    return true;
  }
}

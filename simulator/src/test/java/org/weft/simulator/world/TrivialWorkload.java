package org.weft.simulator.world;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftFile;
import org.weft.client.WeftFileSystem;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.simulator.base.Violation;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimNode;

/** Two clients, a few files, no faults: what a world costs by itself. */
final class TrivialWorkload {
  private static final int CALL_MILLIS = 120_000;
  private static final int FILES = 6;
  private static final int UPDATES = 4;

  private TrivialWorkload() {}

  static void run(World world) {
    world.boot();
    for (int number = 1; number <= 2; number++) {
      ClientNode client = world.newClient();
      client.start();
      join(world, client.connected());
      for (int file = 0; file < FILES; file++) {
        writeAndRead(world, client.files(), WeftPath.of("/f-" + number + "-" + file));
      }
    }
    world.clients().forEach(SimNode::stop);
    world.heal(CALL_MILLIS);
  }

  private static void writeAndRead(World world, WeftFileSystem files, WeftPath path) {
    RandomGenerator random = world.random(path.toString());
    byte[] content = new byte[random.nextInt(1, 100_000)];
    random.nextBytes(content);
    LayoutSpec layout =
        LayoutSpec.of(random.nextInt(1, 4), random.nextInt(1, 3), 4096 << random.nextInt(3));
    WeftOutput out = join(world, files.create(path, CreateOptions.newFile().withLayout(layout)));
    join(world, out.write(ByteBuffer.wrap(content)));
    join(world, out.close());
    WeftFile file = join(world, files.openForUpdate(path));
    for (int update = 0; update < UPDATES; update++) {
      int from = random.nextInt(content.length);
      int to = random.nextInt(from, content.length) + 1;
      byte[] changed = new byte[to - from];
      random.nextBytes(changed);
      System.arraycopy(changed, 0, content, from, changed.length);
      join(world, file.write(from, ByteBuffer.wrap(changed)));
    }
    join(world, file.close());
    WeftInput in = join(world, files.open(path));
    ByteBuffer read = ByteBuffer.allocate(content.length);
    int count = join(world, in.read(0, read));
    in.close();
    if (count != content.length || !Arrays.equals(content, read.array())) {
      throw new Violation(path + " reads other bytes than were written");
    }
  }

  private static <T> T join(World world, CompletableFuture<T> future) {
    world.await("a call has ended", CALL_MILLIS, future::isDone);
    return future.join();
  }
}

package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.client.ClientOptions;
import org.weft.client.CreateOptions;
import org.weft.client.WeftClient;
import org.weft.client.WeftInput;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.NodeState;

/** OSDs lose power while a file is open that is not being written just then (P 5.9). */
class IdleWriterTest {
  private static final WeftPath FILE = WeftPath.of("/f");

  @TempDir Path folder;

  private ManagerWorld world;
  private WeftClient client;
  private WeftOutput output;
  private StorageMap map;

  @BeforeEach
  void aFileThatIsOpen() {
    world = new ManagerWorld(7, 6, folder);
    world.start();
    ClientOptions options =
        ClientOptions.builder(
                List.of(world.sysmgr.address()), "weft", world.time.newPool("callbacks", 2, 10_000))
            .groups(List.of("supergroup"))
            .build();
    client = await(WeftClient.connect(options, world.someEnvironment()));
    output = await(client.fileSystem().create(FILE, CreateOptions.newFile()));
    map = map();
  }

  @AfterEach
  void end() {
    world.kill();
  }

  private StorageMap map() {
    return StorageMap.fromMessage(await(world.superuser().attributes("/f")).getMap());
  }

  private void losePower(int... components) {
    for (int component : components) {
      int osd = map.osdOf(component).value();
      world.restartOsd(osd);
      world.cluster.quarantine(osd, true);
    }
    for (int component : components) {
      int osd = map.osdOf(component).value();
      world.time.runUntil(
          "it is readmitted",
          () -> world.cluster.table().getOsds(osd - 1).getState() == NodeState.UP);
    }
  }

  private void writeAndRead() {
    byte[] bytes = new byte[900_000];
    new Random(1).nextBytes(bytes);
    await(output.write(ByteBuffer.wrap(bytes)));
    await(output.close());
    WeftInput input = await(client.fileSystem().open(FILE));
    ByteBuffer target = ByteBuffer.allocate(bytes.length);
    await(input.read(0, target));
    assertArrayEquals(bytes, target.array());
    input.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3})
  void idleWriterGoesOnWithoutALostComponent(int component) {
    losePower(component);
    writeAndRead();
    assertEquals(Set.of(component), map().missing());
  }

  /** What it wrote before may be gone: it must not hear later that all is well. */
  @Test
  void idleWriterFailsWhenTooManyComponentsAreLost() {
    losePower(0, 2, 3);
    AssertionError refused = assertThrows(AssertionError.class, this::writeAndRead);
    assertTrue(refused.getMessage().contains("GRANT_REVOKED"), refused.getMessage());
    assertEquals(Set.of(), map().missing());
    output = await(client.fileSystem().create(FILE, CreateOptions.replacing()));
    writeAndRead();
  }

  @Test
  void idleWriterMayCloseAfterALoss() {
    losePower(1);
    await(output.close());
    assertEquals(Set.of(1), map().missing());
  }

  private <T> T await(CompletableFuture<T> call) {
    try {
      return world.time.await(call);
    } catch (CompletionException e) {
      throw new AssertionError(WeftException.of(e).toString(), e);
    }
  }
}

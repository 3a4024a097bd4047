package org.weft.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.client.fake.FakeClusterWorld.CLUSTER;
import static org.weft.client.fake.FakeClusterWorld.SYSMGR_1;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.weft.client.BulkCalls.FileContent;
import org.weft.client.fake.FakeClusterWorld;
import org.weft.client.fake.FakeManager;
import org.weft.client.fake.FakeNamespace;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.Layout;

/** Many small files at once, over a simulated cluster. */
class BulkCallsTest {
  private static final int OSDS = 5;
  private static final int FILES = 60;
  private static final byte[] KEY = new byte[32];

  private final FakeClusterWorld world = new FakeClusterWorld(12);
  private final WeftFileSystem files;
  private final SortedMap<WeftPath, byte[]> written = new TreeMap<>();

  BulkCallsTest() {
    var unused =
        world.start(
            new FakeManager(CLUSTER, 10_000, 4, new FakeNamespace(KEY, Layout.of(4, 1))),
            OSDS,
            KEY);
    ClientOptions options = ClientOptions.builder(List.of(SYSMGR_1), "ann", Runnable::run).build();
    files = world.finish(WeftClient.connect(options, world.environment)).join().fileSystem();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < FILES; i++) {
      byte[] content = new byte[i % 7 == 0 ? 0 : random.nextInt(100_000)];
      random.nextBytes(content);
      WeftPath path = WeftPath.of("/f" + i);
      WeftOutput output = world.finish(files.create(path, CreateOptions.replacing())).join();
      world.finish(output.write(ByteBuffer.wrap(content))).join();
      world.finish(output.close()).join();
      written.put(path, content);
    }
  }

  private BulkCalls bulk(int parallel) {
    return files.bulk(new BulkOptions(parallel, 1 << 20));
  }

  @Test
  void allFilesAreReadWithAnyParallelism() throws Exception {
    for (int parallel : new int[] {1, 7, FILES, 1_000}) {
      List<BulkOutcome<FileContent>> outcomes = new ArrayList<>();
      CompletableFuture<Void> all =
          bulk(parallel).read(written.keySet().iterator(), ReadOptions.defaults(), outcomes::add);
      world.finish(all).join();
      assertEquals(FILES, outcomes.size());
      for (BulkOutcome<FileContent> outcome : outcomes) {
        byte[] expected = written.get(outcome.path());
        ByteBuffer bytes = outcome.get().bytes();
        byte[] read = new byte[bytes.remaining()];
        bytes.get(read);
        assertArrayEquals(expected, read);
        assertEquals(expected.length, outcome.get().status().sizeBytes());
      }
    }
    assertEquals(0, world.wire.unreleasedPayloads());
  }

  @Test
  void oneFilesFailureDoesNotAffectTheOthers() {
    List<WeftPath> paths = new ArrayList<>(written.keySet());
    WeftPath none = WeftPath.of("/none");
    paths.add(10, none);
    List<BulkOutcome<FileContent>> outcomes = new ArrayList<>();
    world.finish(bulk(4).read(paths.iterator(), ReadOptions.defaults(), outcomes::add)).join();
    assertEquals(FILES + 1, outcomes.size());
    for (BulkOutcome<FileContent> outcome : outcomes) {
      if (outcome.path().equals(none)) {
        assertEquals(ErrorCode.NOT_FOUND, outcome.failure().orElseThrow().code());
        assertThrows(WeftException.class, outcome::get);
      } else {
        assertEquals(
            written.get(outcome.path()).length, outcome.value().orElseThrow().bytes().limit());
      }
    }
  }

  @Test
  void bulkCallsRefuseLongFilesAndBoundWhatIsUnderWay() {
    List<BulkOutcome<FileContent>> outcomes = new ArrayList<>();
    int[] asked = {0};
    int parallel = 3;
    Iterator<WeftPath> counted =
        new Iterator<>() {
          private final Iterator<WeftPath> paths = written.keySet().iterator();

          @Override
          public boolean hasNext() {
            return paths.hasNext();
          }

          @Override
          public WeftPath next() {
            asked[0]++;
            assertTrue(asked[0] - outcomes.size() <= parallel, "too many under way");
            return paths.next();
          }
        };
    BulkCalls small = files.bulk(new BulkOptions(parallel, 50_000));
    world.finish(small.read(counted, ReadOptions.defaults(), outcomes::add)).join();
    for (BulkOutcome<FileContent> outcome : outcomes) {
      boolean isLong = written.get(outcome.path()).length > 50_000;
      assertEquals(isLong, outcome.failure().isPresent());
      if (isLong) {
        WeftException failure = outcome.failure().orElseThrow();
        assertEquals(ErrorCode.INVALID_ARGUMENT, failure.code());
        assertTrue(failure.getMessage().startsWith(outcome.path() + ": "), failure.getMessage());
      }
    }
  }

  @Test
  void aTakerThatThrowsEndsIt() {
    int[] taken = {0};
    CompletableFuture<Void> all =
        bulk(5)
            .attributes(
                written.keySet().iterator(),
                outcome -> {
                  if (++taken[0] == 8) {
                    throw new IllegalStateException("enough");
                  }
                });
    world.finish(all);
    CompletionException thrown = assertThrows(CompletionException.class, all::join);
    assertEquals("enough", thrown.getCause().getMessage());
    assertTrue(taken[0] < 8 + 5, taken[0] + " taken");
  }

  @Test
  void inputsAreTheTakersToClose() {
    List<WeftInput> inputs = new ArrayList<>();
    CompletableFuture<Void> all =
        bulk(8)
            .open(
                written.keySet().iterator(),
                ReadOptions.defaults(),
                outcome -> inputs.add(outcome.value().orElseThrow()));
    world.finish(all).join();
    assertEquals(FILES, inputs.size());
    for (WeftInput input : inputs) {
      byte[] expected = written.get(input.status().path());
      ByteBuffer target = ByteBuffer.allocate(expected.length + 1);
      int count = world.finish(input.read(0, target)).join();
      assertEquals(expected.length == 0 ? -1 : expected.length, count);
      input.close();
    }
  }
}

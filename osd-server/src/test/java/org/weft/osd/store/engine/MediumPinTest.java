package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.removal;
import static org.weft.osd.store.engine.Requests.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.osd.store.Durability;
import org.weft.osd.store.MediumLook;
import org.weft.osd.store.MediumPlace;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.seam.ForwardedDirectory;
import org.weft.protocol.seam.SegmentDirectory;
import org.weft.protocol.seam.SegmentFile;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.storage.MemoryKeyValueStore;
import org.weft.testkit.storage.MemorySegmentDirectory;
import org.weft.testkit.storage.StorageFaults;

/**
 * Blocks that a look at the medium is reading get no other owner before it has read them (P 5.2).
 */
@Timeout(60)
class MediumPinTest {
  private final CountDownLatch reading = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  private static void join(ObjectStore store, Mutation mutation) {
    var unused = store.apply(mutation).toCompletableFuture().join();
  }

  @Test
  void blocksThatAreBeingLookedAtAreNotUsedAgain() throws Exception {
    StorageFaults faults = new StorageFaults();
    StoreOptions options =
        new StoreOptions(40 * BLOCK, 0, 40 * BLOCK, 40 * BLOCK, 60_000, Durability.WRITE_BACK);
    try (SystemEnvironment system = SystemEnvironment.create();
        ObjectStore store =
            OsdfsStore.open(
                options,
                new MemoryKeyValueStore(faults),
                new SlowReads(new MemorySegmentDirectory(faults)),
                system.environment().scheduler(),
                new SplittableRandom(1),
                () -> "boot")) {
      join(store, new PartitionUpdate(Rig.PARTITION, List.of(new WorkingKey(1, new byte[32])), 1));
      join(store, write(1, 0, random(1, 20 * BLOCK)).build());
      CompletableFuture<MediumLook> look = new CompletableFuture<>();
      Thread scrubber =
          new Thread(
              () -> {
                try {
                  look.complete(store.medium().look(MediumPlace.START, 100 * BLOCK));
                } catch (WeftException e) {
                  look.completeExceptionally(e);
                }
              });
      scrubber.start();
      assertTrue(reading.await(30, TimeUnit.SECONDS));
      join(store, removal(1, 500));
      var unused = store.checkpointNow().toCompletableFuture().join();
      join(store, write(2, 0, random(2, 20 * BLOCK)).build());
      CompletionException refused =
          assertThrows(
              CompletionException.class,
              () -> join(store, write(3, 0, random(3, 20 * BLOCK)).build()));
      assertEquals(ErrorCode.NO_SPACE, WeftException.of(refused).code());
      goOn.countDown();
      assertEquals(List.of(), look.join().bad());
      scrubber.join();
      join(store, write(3, 0, random(3, 20 * BLOCK)).build());
    }
  }

  /** Reads of the medium wait until they may go on. */
  private final class SlowReads extends ForwardedDirectory {
    SlowReads(SegmentDirectory files) {
      super(files);
    }

    @Override
    protected SegmentFile forwarded(SegmentFile file) {
      return new ForwardedFile(file) {
        @Override
        public void readFromMedium(ByteBuffer target, long offsetBytes) throws IOException {
          reading.countDown();
          try {
            assertTrue(goOn.await(30, TimeUnit.SECONDS));
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
          super.readFromMedium(target, offsetBytes);
        }
      };
    }
  }
}

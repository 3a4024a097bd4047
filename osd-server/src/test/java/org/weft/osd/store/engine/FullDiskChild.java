package org.weft.osd.store.engine;

import static org.weft.osd.store.engine.PendingRequests.client;
import static org.weft.osd.store.engine.PendingRequests.complete;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.write;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.weft.osd.check.CheckListener;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.StoreCheck;
import org.weft.osd.harness.SmallDisk;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.PartitionUpdate;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.system.SystemEnvironment;

/**
 * A store whose disk has less than it was told to offer: filled to the end, then nearly nothing is
 * left to its tables, then nothing at all. Says what happened; each line is as it should be or
 * begins with "wrong".
 */
final class FullDiskChild {
  private static final long MIB = 1 << 20;
  private static final int OBJECT_BYTES = 1 << 20;

  private final Path disk;
  private final SystemEnvironment system = SystemEnvironment.create();
  private ObjectStore store;
  private int objects;

  private FullDiskChild(Path disk) {
    this.disk = disk;
  }

  public static void main(String[] arguments) throws Exception {
    FullDiskChild child = new FullDiskChild(Path.of(arguments[0]));
    child.open();
    child.clientsFillTheDisk();
    child.whatIsRemovedIsUsedAgain();
    child.theLastIsForRemoving();
    child.nothingIsLeft();
    child.aFullDiskAtTheStart();
    System.out.println("done");
    System.exit(0);
  }

  private void open() throws Exception {
    StoreOptions options = StoreOptions.ofCapacity(1 << 30).withCheckpointMillis(200);
    store = new StoreFolder(disk.resolve("store")).open(options, system.environment());
    done(
        "partition",
        new PartitionUpdate(Rig.PARTITION, List.of(new WorkingKey(1, new byte[32])), 1));
  }

  private static void expect(boolean holds, String what) {
    if (!holds) {
      System.out.println("wrong: " + what);
    }
  }

  private WeftException apply(Mutation mutation) {
    try {
      var unused = store.apply(mutation).toCompletableFuture().join();
      return null;
    } catch (CompletionException e) {
      return WeftException.of(e);
    }
  }

  private void done(String what, Mutation mutation) {
    WeftException refusal = apply(mutation);
    expect(refusal == null, what + " is refused: " + refusal);
  }

  private void refused(String what, Mutation mutation, String text) {
    WeftException refusal = apply(mutation);
    expect(refusal != null, what + " is done");
    expect(
        refusal == null
            || refusal.code() == ErrorCode.NO_SPACE && refusal.getMessage().contains(text),
        what + ": " + refusal);
  }

  private Mutation object(int number) {
    return write(number, 0, random(number, OBJECT_BYTES)).build();
  }

  private void checkpoint() {
    var unused = store.checkpointNow().toCompletableFuture().join();
  }

  private long freeBytes() throws Exception {
    return Files.getFileStore(disk).getUsableSpace();
  }

  private void assertThere(int first) throws WeftException {
    for (int number = first; number <= objects; number++) {
      expect(
          Arrays.equals(
              random(number, OBJECT_BYTES), Requests.read(store, number, 0, OBJECT_BYTES)),
          "object " + number + " has other bytes");
    }
  }

  private void assertSound(String when) {
    expect(store.status().problems().isEmpty(), when + ": " + store.status().problems());
    expect(!store.hasFailed(), when + ": failed");
  }

  private void clientsFillTheDisk() throws Exception {
    while (apply(object(objects + 1)) == null) {
      objects++;
    }
    System.out.println(objects + " objects, " + freeBytes() / MIB + " MiB left");
    expect(objects > 100, "only " + objects + " objects");
    refused("one more object", object(999), "the disk under the store is full");
    expect(freeBytes() > 80 * MIB, "only " + freeBytes() + " bytes are left to the tables");
    expect(store.status().missingBytes() > 0, "the status does not tell that capacity is missing");
    // The reserve is there, whatever the capacity says.
    long[] numbers = new long[256];
    Arrays.setAll(numbers, i -> i);
    done("a manager's write", Requests.blocks(2_000, 10, random(7, OBJECT_BYTES), numbers));
    assertSound("with a full disk");
    assertThere(1);
  }

  private void whatIsRemovedIsUsedAgain() throws Exception {
    for (int number = 1; number <= 10; number++) {
      done("removal", Requests.removal(number, 500));
    }
    checkpoint();
    // One less: so much has the manager written.
    for (int number = objects + 1; number <= objects + 9; number++) {
      done("an object in the place of another", object(number));
    }
    objects += 9;
    refused("one more object", object(999), "the disk under the store is full");
    assertThere(11);
  }

  private void theLastIsForRemoving() throws Exception {
    SmallDisk.leave(disk, 40 * MIB);
    // The store asks now and then.
    for (int i = 0; i < 64; i++) {
      done("a manager's block", Requests.blocks(2_001, 1 + i, random(8, 4096), 0));
    }
    refused("an object", object(1_000), "nearly full");
    for (int number = 11; number <= 15; number++) {
      done("removal", Requests.removal(number, 500));
    }
    refused("an object in free blocks", object(1_000), "nearly full");
    done("completion", complete(16, client(100), 1));
    done("truncation", Requests.truncation(16, 4096, 1, 100, 2));
    done("a manager's block", Requests.blocks(2_001, 100, random(8, 4096), 1));
    checkpoint();
    assertSound("with little left");
    // Thousands of changes: buffers are written, tables are merged.
    for (int i = 0; i < 6_000; i++) {
      done("a manager's block", Requests.blocks(2_001, 200 + i, random(i, 4096), i % 300));
    }
    System.out.println(freeBytes() / MIB + " MiB left after many small changes");
    assertSound("after many small changes");
    assertThere(17);
  }

  private void nothingIsLeft() throws Exception {
    SmallDisk.leave(disk, 8 * MIB);
    // What managers say goes to the space that is kept for it.
    for (int i = 0; i < 70; i++) {
      done("a manager's block", Requests.blocks(2_001, 7_000 + i, random(9, 4096), 0));
    }
    refused("an object", object(1_000), "is kept for");
    done("completion", complete(18, client(100), 1));
    assertThere(17);
    assertSound("with nothing left but the reserve");
    Files.delete(disk.resolve("filler"));
    done("removal", Requests.removal(17, 500));
    checkpoint();
    objects++;
    done("an object, now that there is space", object(objects));
    assertThere(18);
    assertSound("with space again");
  }

  private void aFullDiskAtTheStart() throws Exception {
    SmallDisk.leave(disk, 0);
    store.close();
    // The reserve was used for the end.
    SmallDisk.leave(disk, 0);
    for (int attempt = 0; attempt < 2; attempt++) {
      try {
        open();
        System.out.println("wrong: opened on a full disk");
        store.close();
      } catch (WeftException e) {
        expect(e.code() == ErrorCode.NO_SPACE && e.getMessage().contains("free some"), "" + e);
      }
    }
    Files.delete(disk.resolve("filler"));
    open();
    assertThere(18);
    objects++;
    done("an object after the start", object(objects));
    store.close();
    CheckReport report = StoreCheck.run(disk.resolve("store"), true, CheckListener.NONE);
    expect(report.isSound(), report.findings().toString());
  }
}

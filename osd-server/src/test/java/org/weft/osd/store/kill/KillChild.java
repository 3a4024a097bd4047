package org.weft.osd.store.kill;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
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
 * Opens a store and works on it with several threads until it is killed. Says {@code thread step}
 * after each deed that was acknowledged.
 */
final class KillChild {
  private KillChild() {}

  /** Arguments: folder, seed, and for each thread the first step. */
  public static void main(String[] arguments) throws Exception {
    long seed = Long.parseLong(arguments[1]);
    StoreOptions options =
        StoreOptions.ofCapacity(KillStoreTest.CAPACITY_BYTES).withCheckpointMillis(100);
    ObjectStore store =
        new StoreFolder(Path.of(arguments[0]))
            .open(options, SystemEnvironment.create().environment());
    store
        .apply(new PartitionUpdate(Deed.PARTITION, List.of(new WorkingKey(1, new byte[32])), 1))
        .toCompletableFuture()
        .join();
    PrintStream out = System.out;
    for (int i = 0; i < Deed.THREADS; i++) {
      int thread = i;
      int first = Integer.parseInt(arguments[2 + i]);
      new Thread(() -> work(store, seed, thread, first, out)).start();
    }
  }

  /** Some do nothing where there is no object, or when they come again after a kill. */
  private static void apply(ObjectStore store, Mutation mutation) {
    try {
      store.applyNow(mutation).orElseGet(() -> store.apply(mutation)).toCompletableFuture().join();
    } catch (CompletionException e) {
      ErrorCode why = WeftException.of(e).code();
      if (why != ErrorCode.NO_SUCH_OBJECT && why != ErrorCode.WRITE_ABORTED) {
        throw e;
      }
    }
  }

  private static void work(ObjectStore store, long seed, int thread, int first, PrintStream out) {
    for (int step = first; ; step++) {
      Deed deed = Deed.of(seed, thread, step);
      try {
        deed.completion().ifPresent(completion -> apply(store, completion));
        apply(store, deed.mutation());
        deed.undoing().ifPresent(abort -> apply(store, abort));
      } catch (RuntimeException e) {
        e.printStackTrace();
        out.println("failed " + thread + " " + step + " " + e);
        return;
      }
      out.println(thread + " " + step);
    }
  }
}

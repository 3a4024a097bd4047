package org.weft.metadata.objects;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.weft.metadata.objects.Missing.MissingAttributes;
import org.weft.metadata.objects.Missing.MissingBlocks;
import org.weft.protocol.seam.Ticker;

/**
 * Loads from OSDs, so many calls at a time. Confined to the volume's thread, on which the port
 * completes its calls.
 */
public final class OsdObjectLoader implements ObjectLoader {
  private static final int CALLS_AT_ONCE = 256;

  private final AttributeLoad attributes;
  private final BlockLoad blocks;
  private final Deque<Runnable> queue = new ArrayDeque<>();
  private int underWay;

  public OsdObjectLoader(OsdPort port, OsdStates states, Ticker ticker) {
    this.attributes = new AttributeLoad(port, states);
    this.blocks = new BlockLoad(port, states, ticker);
  }

  @Override
  public CompletionStage<List<Loaded>> load(List<Missing> missing) {
    List<CompletableFuture<Loaded>> loads = new ArrayList<>(missing.size());
    for (Missing each : missing) {
      if (each instanceof MissingAttributes one) {
        loads.add(limited(() -> attributes.load(one)));
      } else if (each instanceof MissingBlocks one) {
        loads.add(limited(() -> blocks.load(one)));
      } else {
        throw new AssertionError("unhandled: " + each);
      }
    }
    return CompletableFuture.allOf(loads.toArray(CompletableFuture[]::new))
        .thenApply(done -> loads.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<Loaded> limited(Supplier<CompletionStage<Loaded>> load) {
    CompletableFuture<Loaded> result = new CompletableFuture<>();
    queue.addLast(() -> start(load, result));
    startNext();
    return result;
  }

  private void startNext() {
    while (underWay < CALLS_AT_ONCE && !queue.isEmpty()) {
      underWay++;
      queue.removeFirst().run();
    }
  }

  private void start(Supplier<CompletionStage<Loaded>> load, CompletableFuture<Loaded> result) {
    var unused =
        load.get()
            .whenComplete(
                (loaded, failure) -> {
                  underWay--;
                  if (failure == null) {
                    result.complete(loaded);
                  } else {
                    result.completeExceptionally(failure);
                  }
                  startNext();
                });
  }
}

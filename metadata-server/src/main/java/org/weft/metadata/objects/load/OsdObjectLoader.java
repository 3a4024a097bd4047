package org.weft.metadata.objects.load;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.weft.metadata.objects.Loaded;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.Missing.MissingAttributes;
import org.weft.metadata.objects.Missing.MissingBlocks;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.OsdStates;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Ticker;

/**
 * Loads from OSDs, so many objects at a time. Confined to the volume's thread, on which the port
 * completes its calls.
 */
public final class OsdObjectLoader implements ObjectLoader {
  private static final int OBJECTS_AT_ONCE = 256;

  private final AttributeLoad attributes;
  private final BlockLoad blocks;
  private final Deque<Runnable> queue = new ArrayDeque<>();
  private int objectsUnderWay;

  public OsdObjectLoader(OsdPort port, OsdStates states, Ticker ticker) {
    this.attributes = new AttributeLoad(port, states);
    this.blocks = new BlockLoad(port, states, ticker);
  }

  /** Attributes that a load waits for. */
  private record Wanted(MissingAttributes missing, CompletableFuture<Loaded> result) {}

  @Override
  public CompletionStage<List<Loaded>> load(List<Missing> missing) {
    List<CompletableFuture<Loaded>> loads = new ArrayList<>(missing.size());
    Map<OsdId, List<Wanted>> together = new TreeMap<>();
    for (Missing each : missing) {
      CompletableFuture<Loaded> result = new CompletableFuture<>();
      loads.add(result);
      if (each instanceof MissingAttributes one) {
        Optional<OsdId> first = attributes.first(one);
        if (first.isPresent()) {
          together
              .computeIfAbsent(first.get(), osd -> new ArrayList<>())
              .add(new Wanted(one, result));
        } else {
          limited(1, () -> attributes.load(one), result);
        }
      } else if (each instanceof MissingBlocks one) {
        limited(1, () -> blocks.load(one), result);
      } else {
        throw new AssertionError("unhandled: " + each);
      }
    }
    together.forEach(this::loadAttributes);
    return CompletableFuture.allOf(loads.toArray(CompletableFuture[]::new))
        .thenApply(done -> loads.stream().map(CompletableFuture::join).toList());
  }

  private void loadAttributes(OsdId osd, List<Wanted> wanted) {
    for (int from = 0; from < wanted.size(); from += OsdPort.MAX_AT_ONCE) {
      List<Wanted> some = wanted.subList(from, Math.min(wanted.size(), from + OsdPort.MAX_AT_ONCE));
      if (some.size() == 1) {
        Wanted one = some.get(0);
        limited(1, () -> attributes.load(one.missing()), one.result());
      } else {
        List<MissingAttributes> missing = some.stream().map(Wanted::missing).toList();
        CompletableFuture<Map<ObjectId, Optional<Loaded>>> found = new CompletableFuture<>();
        limited(some.size(), () -> attributes.loadTogether(osd, missing), found);
        var unused = found.whenComplete((loaded, failure) -> settle(osd, some, loaded, failure));
      }
    }
  }

  /** What was not found together is looked for alone. */
  private void settle(
      OsdId osd, List<Wanted> wanted, Map<ObjectId, Optional<Loaded>> found, Throwable failure) {
    for (Wanted each : wanted) {
      if (failure != null) {
        each.result().completeExceptionally(failure);
        continue;
      }
      Optional<Loaded> loaded = found.get(each.missing().object());
      if (loaded == null) {
        limited(1, () -> attributes.load(each.missing()), each.result());
      } else if (loaded.isEmpty()) {
        limited(1, () -> attributes.loadElsewhere(each.missing(), osd), each.result());
      } else {
        each.result().complete(loaded.get());
      }
    }
  }

  private <T> void limited(
      int objects, Supplier<CompletionStage<T>> load, CompletableFuture<T> result) {
    queue.addLast(() -> start(objects, load, result));
    startNext();
  }

  private void startNext() {
    while (objectsUnderWay < OBJECTS_AT_ONCE && !queue.isEmpty()) {
      queue.removeFirst().run();
    }
  }

  private <T> void start(
      int objects, Supplier<CompletionStage<T>> load, CompletableFuture<T> result) {
    objectsUnderWay += objects;
    var unused =
        load.get()
            .whenComplete(
                (loaded, failure) -> {
                  objectsUnderWay -= objects;
                  if (failure == null) {
                    result.complete(loaded);
                  } else {
                    result.completeExceptionally(failure);
                  }
                  startNext();
                });
  }
}

package org.weft.metadata.serving.request;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.weft.metadata.objects.Loaded;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.ObjectLoader;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Loads under way, and the operations that wait for them. What several operations lack is loaded
 * once. Confined to the volume's thread.
 */
public final class LoadCoalescer {
  private final ObjectLoader loader;
  private final MetadataCache cache;
  private final Executor home;
  private final Map<Missing, CompletableFuture<Void>> underWay = new HashMap<>();

  /**
   * @param home the volume's thread
   */
  public LoadCoalescer(ObjectLoader loader, MetadataCache cache, Executor home) {
    this.loader = loader;
    this.cache = cache;
    this.home = home;
  }

  /**
   * Loads what is missing into the cache and then goes on.
   *
   * @param next gets null, or why it could not be loaded; runs on the volume's thread
   */
  public void load(List<Missing> missing, java.util.function.Consumer<WeftException> next) {
    List<CompletableFuture<Void>> waitFor = new ArrayList<>();
    List<Missing> fresh = new ArrayList<>();
    CompletableFuture<Void> freshLoad = new CompletableFuture<>();
    for (Missing one : missing) {
      CompletableFuture<Void> earlier = underWay.get(one);
      if (earlier != null) {
        waitFor.add(earlier);
      } else {
        fresh.add(one);
        underWay.put(one, freshLoad);
      }
    }
    if (!fresh.isEmpty()) {
      waitFor.add(freshLoad);
    }
    var unused =
        CompletableFuture.allOf(waitFor.toArray(CompletableFuture[]::new))
            .whenComplete(
                (nothing, failure) ->
                    next.accept(failure == null ? null : WeftException.of(failure)));
    if (!fresh.isEmpty()) {
      start(fresh, freshLoad);
    }
  }

  private void start(List<Missing> fresh, CompletableFuture<Void> load) {
    var unused =
        loader
            .load(List.copyOf(fresh))
            .whenCompleteAsync((found, failure) -> finish(fresh, load, found, failure), home);
  }

  private void finish(
      List<Missing> fresh, CompletableFuture<Void> load, List<Loaded> found, Throwable failure) {
    fresh.forEach(one -> underWay.remove(one, load));
    if (failure != null) {
      load.completeExceptionally(WeftException.of(failure));
      return;
    }
    try {
      cache.loaded(found);
    } catch (RuntimeException e) {
      load.completeExceptionally(
          new WeftException(ErrorCode.INTERNAL, "what OSDs hold cannot be understood: " + e, e));
      return;
    }
    load.complete(null);
  }
}

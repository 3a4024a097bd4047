package org.weft.metadata.serving.care;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.objects.OsdPort;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Looks through the attributes of objects that one OSD has, for files that are wanted, such as
 * those with something on lost OSDs. An object that it refuses to tell of, or whose attributes
 * cannot be read, is passed over and told as trouble. The OSD may be the only place that knows of
 * the file. On the volume's thread.
 */
final class LossesOnOsd {
  private final OsdPort port;
  private final OsdId osd;
  private final Predicate<Attributes> wanted;
  private final List<Attributes> found = new ArrayList<>();
  private Optional<String> trouble = Optional.empty();

  LossesOnOsd(OsdPort port, OsdId osd, Predicate<Attributes> wanted) {
    this.port = port;
    this.osd = osd;
    this.wanted = wanted;
  }

  /** Completes when all have been asked for; fails if the OSD does not answer. */
  CompletionStage<Void> look(List<ObjectId> objects) {
    CompletionStage<Void> looked = CompletableFuture.completedStage(null);
    for (int from = 0; from < objects.size(); from += OsdPort.MAX_AT_ONCE) {
      List<ObjectId> some =
          objects.subList(from, Math.min(from + OsdPort.MAX_AT_ONCE, objects.size()));
      looked = looked.thenCompose(nothing -> lookTogether(some));
    }
    return looked;
  }

  /** Files that are wanted, as far as they could be looked at. */
  List<Attributes> found() {
    return found;
  }

  /** Why the first of those could not be looked at that could not; empty: all were. */
  Optional<String> trouble() {
    return trouble;
  }

  private CompletionStage<Void> lookTogether(List<ObjectId> objects) {
    return port.attributesOf(osd, objects)
        .thenCompose(
            stored -> {
              CompletionStage<Void> done = CompletableFuture.completedStage(null);
              for (ObjectId object : objects) {
                Optional<OsdPort.StoredAttributes> told = stored.get(object);
                if (told == null) {
                  // It did not answer for this object, which is then asked for alone.
                  done = done.thenCompose(nothing -> lookAlone(object));
                } else {
                  told.ifPresent(each -> keep(each.attributes()));
                }
              }
              return done;
            });
  }

  private CompletionStage<Void> lookAlone(ObjectId object) {
    CompletableFuture<Void> looked = new CompletableFuture<>();
    var unused =
        port.attributes(osd, object)
            .whenComplete(
                (stored, failure) -> {
                  WeftException why = failure == null ? null : WeftException.of(failure);
                  // It would not tell of others now either.
                  if (why != null && why.code().isNoAnswer()) {
                    looked.completeExceptionally(why);
                    return;
                  }
                  if (why == null) {
                    keep(stored.attributes());
                  } else if (why.code() != ErrorCode.NO_SUCH_OBJECT && trouble.isEmpty()) {
                    trouble = Optional.of("object " + object + ": " + why.getMessage());
                  }
                  looked.complete(null);
                });
    return looked;
  }

  private void keep(Attributes file) {
    if (wanted.test(file)) {
      found.add(file);
    }
  }
}

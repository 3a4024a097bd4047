package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.objects.OsdPort;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** What several OSDs have of some objects, as far as they have answered. On the volume's thread. */
public final class Stores {
  private final Map<ObjectId, TreeMap<OsdId, StoredObject>> found = new TreeMap<>();
  private final Map<ObjectId, Set<OsdId>> told = new TreeMap<>();

  /** Asks each OSD for its objects; never fails. */
  public static CompletionStage<Stores> ask(
      CheckedVolume volume, Steps steps, Map<OsdId, List<ObjectId>> wanted) {
    Stores stores = new Stores();
    List<CompletableFuture<?>> asked = new ArrayList<>();
    wanted.forEach(
        (osd, objects) -> {
          List<List<ObjectId>> parts = new ArrayList<>();
          for (int from = 0; from < objects.size(); from += OsdPort.MAX_AT_ONCE) {
            parts.add(objects.subList(from, Math.min(objects.size(), from + OsdPort.MAX_AT_ONCE)));
          }
          asked.add(
              steps.each(parts, part -> stores.askPart(volume, osd, part)).toCompletableFuture());
        });
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(nothing -> stores);
  }

  private CompletionStage<Void> askPart(CheckedVolume volume, OsdId osd, List<ObjectId> objects) {
    return volume
        .stored(osd, objects)
        .handle(
            (answer, failure) -> {
              if (failure == null) {
                answer.forEach(
                    (object, stored) -> {
                      told(osd, object);
                      stored.ifPresent(
                          one ->
                              found.computeIfAbsent(object, key -> new TreeMap<>()).put(osd, one));
                    });
              }
              return null;
            });
  }

  /** The OSD has answered for the object, perhaps that it has none. */
  void told(OsdId osd, ObjectId object) {
    told.computeIfAbsent(object, key -> new HashSet<>()).add(osd);
  }

  /** What was found of an object, by OSD. */
  public Map<OsdId, StoredObject> of(ObjectId object) {
    return found.getOrDefault(object, new TreeMap<>());
  }

  /** The newest attributes that were found of an object. */
  public Optional<StoredObject.Page> newest(ObjectId object) {
    return of(object).values().stream()
        .flatMap(stored -> stored.page().stream())
        .max((one, other) -> one.lsn().compareTo(other.lsn()));
  }

  /** OSDs that have answered for the object, perhaps that they have none. */
  public Set<OsdId> answered(ObjectId object) {
    return told.getOrDefault(object, Set.of());
  }
}

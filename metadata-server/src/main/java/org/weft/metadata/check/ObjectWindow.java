package org.weft.metadata.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * All objects in a range of numbers, and which OSDs have something of them. The range has what all
 * OSDs have listed, up to the smallest number that one of them stopped at.
 *
 * @param byOsd in ascending order
 * @param objects all of them
 * @param last the range ends with this one
 * @param more there are objects behind it
 */
public record ObjectWindow(
    Map<OsdId, List<ObjectId>> byOsd, SortedSet<ObjectId> objects, ObjectId last, boolean more) {
  /**
   * Fails if one of the OSDs does not answer.
   *
   * @param unheard gets each that does not
   */
  public static CompletionStage<ObjectWindow> list(
      CheckedVolume volume,
      SortedSet<OsdId> osds,
      ObjectId after,
      int max,
      Consumer<OsdId> unheard) {
    SortedMap<OsdId, OsdHoldings.Listed> listed = new TreeMap<>();
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (OsdId osd : osds) {
      asked.add(
          volume
              .list(osd, after, max)
              .whenComplete(
                  (answer, failure) -> {
                    if (failure == null) {
                      listed.put(osd, answer);
                    } else {
                      unheard.accept(osd);
                    }
                  })
              .toCompletableFuture());
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(nothing -> merge(listed, after));
  }

  static ObjectWindow merge(SortedMap<OsdId, OsdHoldings.Listed> listed, ObjectId after) {
    ObjectId end = null;
    for (OsdHoldings.Listed answer : listed.values()) {
      if (answer.more() && !answer.objects().isEmpty()) {
        ObjectId last = answer.objects().get(answer.objects().size() - 1);
        end = end == null || last.compareTo(end) < 0 ? last : end;
      }
    }
    Map<OsdId, List<ObjectId>> byOsd = new TreeMap<>();
    SortedSet<ObjectId> objects = new TreeSet<>();
    for (Map.Entry<OsdId, OsdHoldings.Listed> each : listed.entrySet()) {
      List<ObjectId> within = new ArrayList<>();
      for (ObjectId object : each.getValue().objects()) {
        if (end == null || object.compareTo(end) <= 0) {
          within.add(object);
        }
      }
      byOsd.put(each.getKey(), within);
      objects.addAll(within);
    }
    ObjectId last = end != null ? end : objects.isEmpty() ? after : objects.last();
    return new ObjectWindow(byOsd, objects, last, end != null);
  }
}

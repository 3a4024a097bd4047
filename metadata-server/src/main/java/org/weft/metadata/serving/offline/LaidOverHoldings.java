package org.weft.metadata.serving.offline;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.check.OsdHoldings;
import org.weft.metadata.check.StoredObject;
import org.weft.metadata.objects.osd.UnsentCopies;
import org.weft.metadata.objects.osd.UnsentCopies.Unsent;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * What OSDs would hold if they had been sent all that a journal tells (P 6.8d). It is what they
 * say, with what they were not sent laid over it. On the volume's thread.
 */
final class LaidOverHoldings implements OsdHoldings {
  private final OsdHoldings asked;
  private final UnsentCopies unsent;

  LaidOverHoldings(OsdHoldings asked, UnsentCopies unsent) {
    this.asked = asked;
    this.unsent = unsent;
  }

  @Override
  public CompletionStage<Listed> list(OsdId osd, ObjectId after, int max) {
    return asked.list(osd, after, max).thenApply(listed -> laid(osd, after, max, listed));
  }

  private Listed laid(OsdId osd, ObjectId after, int max, Listed listed) {
    TreeSet<ObjectId> objects = new TreeSet<>(listed.objects());
    // The OSD has not answered for what is behind its last one.
    Optional<ObjectId> end =
        listed.more() && !objects.isEmpty() ? Optional.of(objects.last()) : Optional.empty();
    SortedMap<ObjectId, Unsent> own = unsent.unsentAfter(osd, after);
    own.forEach(
        (object, copy) -> {
          if (copy.isThere() && (end.isEmpty() || object.compareTo(end.get()) <= 0)) {
            objects.add(object);
          } else if (copy.isAnew() && !copy.isThere()) {
            objects.remove(object);
          }
        });
    boolean isCut = objects.size() > max;
    List<ObjectId> some = objects.stream().limit(max).toList();
    if (some.isEmpty() && listed.more()) {
      // All that was listed would be gone: a list that goes on must name where.
      return new Listed(List.of(end.orElse(after)), true);
    }
    return new Listed(some, listed.more() || isCut);
  }

  @Override
  public CompletionStage<Map<ObjectId, Optional<StoredObject>>> stored(
      OsdId osd, List<ObjectId> objects) {
    return asked
        .stored(osd, objects)
        .thenApply(
            answer -> {
              Map<ObjectId, Optional<StoredObject>> all = new HashMap<>(answer);
              for (ObjectId object : objects) {
                Optional<StoredObject> found = answer.get(object);
                if (found != null) {
                  unsent.unsent(osd, object).ifPresent(copy -> all.put(object, laid(found, copy)));
                }
              }
              return all;
            });
  }

  private static Optional<StoredObject> laid(Optional<StoredObject> found, Unsent copy) {
    Optional<StoredObject> counts = copy.isAnew() ? Optional.empty() : found;
    if (!copy.isThere()) {
      return counts;
    }
    Optional<StoredObject.Page> own =
        copy.page().map(page -> new StoredObject.Page(page.lsn(), page.bytes(), page.attributes()));
    if (counts.isEmpty()) {
      return Optional.of(
          new StoredObject(
              copy.tag(), copy.eofBytes(), 0, 0, Optional.of(false), own, Optional.empty()));
    }
    StoredObject there = counts.get();
    boolean isNewer =
        own.isPresent()
            && (there.page().isEmpty() || own.get().lsn().compareTo(there.page().get().lsn()) > 0);
    return Optional.of(
        new StoredObject(
            there.tag(),
            Math.max(there.eofBytes(), copy.eofBytes()),
            there.truncationNumber(),
            there.componentBytes(),
            there.pending(),
            isNewer ? own : there.page(),
            isNewer ? Optional.empty() : there.unreadable()));
  }
}

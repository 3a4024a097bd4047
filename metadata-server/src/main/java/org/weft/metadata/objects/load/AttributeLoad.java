package org.weft.metadata.objects.load;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.weft.metadata.objects.Loaded;
import org.weft.metadata.objects.Loaded.LoadedAttributes;
import org.weft.metadata.objects.Loaded.LostAttributes;
import org.weft.metadata.objects.Missing.MissingAttributes;
import org.weft.metadata.objects.OsdPort;
import org.weft.metadata.objects.OsdPort.StoredAttributes;
import org.weft.metadata.objects.OsdStates;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * Finds attributes (P 6.7). First it asks where the hints say, one OSD after another, beginning
 * with another one for each object so that the work is spread. Then it asks every OSD of the
 * BladeSet at once. Those of many objects, as a listing wants them, are asked for in one request of
 * each OSD first.
 */
final class AttributeLoad {
  private static final Logger LOG = LoggerFactory.getLogger(AttributeLoad.class);

  private final OsdPort port;
  private final OsdStates states;

  AttributeLoad(OsdPort port, OsdStates states) {
    this.port = port;
    this.states = states;
  }

  CompletionStage<Loaded> load(MissingAttributes missing) {
    return askOneByOne(missing, hinted(missing), 0);
  }

  /** As {@link #load}, after the one that was asked already. */
  CompletionStage<Loaded> loadElsewhere(MissingAttributes missing, OsdId asked) {
    List<OsdId> others = hinted(missing);
    others.remove(asked);
    return askOneByOne(missing, others, 0);
  }

  /** The OSD to be asked first; empty: all are asked. */
  Optional<OsdId> first(MissingAttributes missing) {
    return hinted(missing).stream().findFirst();
  }

  /**
   * Those of the objects that this OSD has. Empty: to be looked for elsewhere, as all are if it
   * does not answer. Left out: it did not tell this time.
   */
  CompletionStage<Map<ObjectId, Optional<Loaded>>> loadTogether(
      OsdId osd, List<MissingAttributes> missing) {
    return port.attributesOf(osd, missing.stream().map(MissingAttributes::object).toList())
        .handle(
            (stored, failure) -> {
              if (failure != null) {
                LOG.debug("attributes of {} objects from OSD {}", missing.size(), osd, failure);
              }
              Map<ObjectId, Optional<Loaded>> loaded = new HashMap<>();
              for (MissingAttributes each : missing) {
                Optional<StoredAttributes> found =
                    failure == null ? stored.get(each.object()) : Optional.empty();
                if (found != null) {
                  loaded.put(each.object(), found.map(one -> loaded(each, one)));
                }
              }
              return loaded;
            });
  }

  private List<OsdId> hinted(MissingAttributes missing) {
    List<OsdId> hinted = new ArrayList<>();
    int shift = missing.hints().isEmpty() ? 0 : start(missing);
    for (int index = 0; index < missing.hints().size(); index++) {
      OsdId osd = missing.hints().get((index + shift) % missing.hints().size());
      if (!missing.lagging().contains(osd) && !states.isDown(osd)) {
        hinted.add(osd);
      }
    }
    return hinted;
  }

  private static int start(MissingAttributes missing) {
    return (int) Long.remainderUnsigned(missing.object().value(), missing.hints().size());
  }

  private CompletionStage<Loaded> askOneByOne(
      MissingAttributes missing, List<OsdId> hinted, int index) {
    if (index == hinted.size()) {
      return askAll(missing);
    }
    return port.attributes(hinted.get(index), missing.object())
        .handle(
            (stored, failure) ->
                failure == null
                    ? CompletableFuture.completedStage(loaded(missing, stored))
                    : askOneByOne(missing, hinted, index + 1))
        .thenCompose(next -> next);
  }

  private static Loaded loaded(MissingAttributes missing, StoredAttributes stored) {
    return new LoadedAttributes(stored.attributes(), stored.lsn(), missing.generation());
  }

  /** The answers of the OSDs so far. */
  private static final class Poll {
    StoredAttributes newest;
    final SortedSet<OsdId> silent = new TreeSet<>();

    void heard(OsdId osd, StoredAttributes stored, Throwable failure) {
      if (failure == null) {
        boolean newer = newest == null || stored.lsn().compareTo(newest.lsn()) > 0;
        newest = newer ? stored : newest;
      } else if (WeftException.of(failure).code() != ErrorCode.NO_SUCH_OBJECT) {
        silent.add(osd);
      }
    }
  }

  private CompletionStage<Loaded> askAll(MissingAttributes missing) {
    Poll poll = new Poll();
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (OsdId osd : states.osds()) {
      if (missing.lagging().contains(osd)) {
        continue;
      }
      if (states.isDown(osd)) {
        poll.silent.add(osd);
      } else {
        asked.add(
            port.attributes(osd, missing.object())
                .handle(
                    (stored, failure) -> {
                      poll.heard(osd, stored, failure);
                      return stored;
                    })
                .toCompletableFuture());
      }
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(all -> poll.newest != null ? loaded(missing, poll.newest) : lost(missing, poll));
  }

  private static Loaded lost(MissingAttributes missing, Poll poll) {
    String reason = "no OSD has attributes of object " + missing.object();
    if (!poll.silent.isEmpty()) {
      reason +=
          "; OSDs "
              + poll.silent
              + " did not reply, bring them back, or remove those that are lost from the cluster";
    } else if (!missing.lagging().isEmpty()) {
      reason += "; the copies on OSDs " + missing.lagging() + " are out of date";
    }
    return new LostAttributes(missing.object(), poll.silent, reason);
  }
}

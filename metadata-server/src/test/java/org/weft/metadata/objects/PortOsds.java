package org.weft.metadata.objects;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.testkit.sim.VirtualTime;

/**
 * The {@link OsdPort} of OSDs behind a network that delays, reorders and loses calls and replies.
 */
public final class PortOsds implements OsdStates {
  /** Sees every write just before it is applied. */
  public interface WriteCheck {
    void check(PortOsd osd, CopyWrite write);
  }

  private interface Call<T> {
    T run(PortOsd osd) throws WeftException;
  }

  private final VirtualTime time;
  private final Random random;
  public final SortedMap<OsdId, PortOsd> byId = new TreeMap<>();
  public WriteCheck check = (osd, write) -> {};
  public int lossPercent;
  public int latePercent;
  private long lives;
  public boolean autoCheckpoint = true;
  public boolean fenced;
  public final List<Integer> askedTogether = new ArrayList<>();
  public final SortedMap<OsdId, Integer> askedAlone = new TreeMap<>();

  /** Of how many objects an OSD tells that was asked of several. */
  public int mostTold = Integer.MAX_VALUE;

  public Runnable whenAskedTogether = () -> {};
  public final Set<OsdId> lossy = new TreeSet<>();

  public PortOsds(VirtualTime time, Random random, int count) {
    this.time = time;
    this.random = random;
    for (int number = 1; number <= count; number++) {
      byId.put(new OsdId(number), new PortOsd(new OsdId(number)));
    }
    checkpointAll();
  }

  private void checkpointAll() {
    for (PortOsd osd : byId.values()) {
      if (autoCheckpoint && osd.running && random.nextInt(5) == 0) {
        osd.checkpoint();
      }
    }
    afterMillis(1_000, this::checkpointAll);
  }

  private void afterMillis(long millis, Runnable task) {
    var unused = time.after(TimeUnit.MILLISECONDS.toNanos(millis), task);
  }

  @Override
  public List<OsdId> osds() {
    return List.copyOf(byId.keySet());
  }

  @Override
  public boolean isDown(OsdId osd) {
    return byId.get(osd).down;
  }

  @Override
  public boolean mayHaveLostWrites(OsdId osd, long incarnation) {
    return lossy.contains(osd);
  }

  /** A port for one life of the manager: {@code alive} turns false when it dies. */
  public OsdPort port(boolean[] alive) {
    return new Port(alive);
  }

  private final class Port implements OsdPort {
    private final boolean[] alive;
    private final long life = ++lives;

    Port(boolean[] alive) {
      this.alive = alive;
    }

    private <T> CompletionStage<T> call(OsdId id, Call<T> call) {
      CompletableFuture<T> result = new CompletableFuture<>();
      PortOsd osd = byId.get(id);
      afterMillis(
          1 + random.nextInt(8),
          () -> {
            if (!osd.answers() || random.nextInt(100) < lossPercent) {
              WeftException lost = new WeftException(ErrorCode.CONNECTION_LOST, "OSD " + id);
              answer(200, () -> result.completeExceptionally(lost));
              return;
            }
            T value;
            try {
              if (osd.failed) {
                throw new WeftException(ErrorCode.STORE_FAILED, "OSD " + id);
              }
              value = call.run(osd);
            } catch (WeftException refusal) {
              answer(3, () -> result.completeExceptionally(refusal));
              return;
            }
            boolean lost = random.nextInt(100) < lossPercent;
            answer(
                lost ? 300 : 1 + random.nextInt(8),
                () -> {
                  if (lost) {
                    result.completeExceptionally(
                        new WeftException(ErrorCode.DEADLINE_EXCEEDED, "OSD " + id));
                  } else {
                    result.complete(value);
                  }
                });
          });
      return result;
    }

    /** Nothing of what a dead manager waits for happens. Calls that it made may still arrive. */
    private void answer(long millis, Runnable task) {
      afterMillis(
          millis,
          () -> {
            if (alive[0]) {
              task.run();
            }
          });
    }

    @Override
    public CompletionStage<StoredAttributes> attributes(OsdId osd, ObjectId object) {
      askedAlone.merge(osd, 1, Integer::sum);
      return call(osd, one -> one.attributes(object));
    }

    @Override
    public CompletionStage<Map<ObjectId, Optional<StoredAttributes>>> attributesOf(
        OsdId osd, List<ObjectId> objects) {
      askedTogether.add(objects.size());
      return call(
          osd,
          one -> {
            whenAskedTogether.run();
            Map<ObjectId, Optional<StoredAttributes>> stored = new HashMap<>();
            for (ObjectId object : objects.subList(0, Math.min(mostTold, objects.size()))) {
              stored.put(
                  object,
                  one.hasAttributes(object)
                      ? Optional.of(one.attributes(object))
                      : Optional.empty());
            }
            return stored;
          });
    }

    @Override
    public CompletionStage<SortedMap<Integer, byte[]>> blocks(
        OsdId osd, ObjectId directory, List<Integer> numbers) {
      return call(osd, one -> one.blocks(directory, numbers));
    }

    @Override
    public CompletionStage<List<CopyOutcome>> write(
        OsdId osd, long incarnation, List<CopyWrite> writes, FlushStamp stamp) {
      Call<List<CopyOutcome>> call =
          one -> {
            if (!alive[0] || fenced) {
              // The next manager has fenced this one (P 6.2).
              throw new WeftException(ErrorCode.FENCED, "an older epoch");
            }
            if (one.incarnation != incarnation) {
              throw new WeftException(ErrorCode.UNAVAILABLE, "another incarnation");
            }
            writes.forEach(write -> check.check(one, write));
            return one.apply(writes, life, stamp);
          };
      if (random.nextInt(100) < latePercent) {
        return belated(osd, call);
      }
      return call(osd, call);
    }

    /** It is given up, and repeated perhaps, and arrives all the same. */
    private <T> CompletionStage<T> belated(OsdId id, Call<T> call) {
      CompletableFuture<T> result = new CompletableFuture<>();
      WeftException lost = new WeftException(ErrorCode.CONNECTION_LOST, "OSD " + id);
      answer(200, () -> result.completeExceptionally(lost));
      afterMillis(
          random.nextInt(5_000),
          () -> {
            try {
              if (byId.get(id).answers()) {
                var unused = call.run(byId.get(id));
              }
            } catch (WeftException refusal) {
              // No manager hears of it.
            }
          });
      return result;
    }

    @Override
    public CompletionStage<CheckpointState> status(OsdId osd) {
      return call(osd, PortOsd::status);
    }

    @Override
    public CompletionStage<Void> checkpoint(OsdId osd) {
      return call(
          osd,
          one -> {
            one.checkpoint();
            return null;
          });
    }
  }
}

package org.weft.nfs.locks;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.weft.client.LockMode;
import org.weft.client.lock.RangeHolder;
import org.weft.client.lock.RangeOwner;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.layout.ByteRange;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.LockSpace;

/** What a manager answers of one file's locks, at once; what waits is granted in its order. */
public final class ModelManager {
  private record Key(int session, LockSpace space, ByteString owner) {}

  private record Held(ByteRanges shared, ByteRanges exclusive) {
    Held without(ByteRange range) {
      return new Held(shared.minus(range), exclusive.minus(range));
    }

    Held with(ByteRange range, LockMode mode) {
      Held rest = without(range);
      return mode == LockMode.EXCLUSIVE
          ? new Held(rest.shared(), rest.exclusive().plus(range))
          : new Held(rest.shared().plus(range), rest.exclusive());
    }

    ByteRanges all() {
      return shared.plus(exclusive);
    }

    boolean hinders(ByteRange range, LockMode mode) {
      return (mode == LockMode.EXCLUSIVE ? all() : exclusive).overlaps(range);
    }
  }

  private record Waiting(
      Key key, ByteRange range, LockMode mode, CompletableFuture<Void> granted) {}

  private final Map<Key, Held> held = new LinkedHashMap<>();
  private final List<Integer> ended = new ArrayList<>();
  private final List<Waiting> waits = new ArrayList<>();

  /** Requests that were asked. */
  int asked;

  /** Looking at others' locks is refused. */
  boolean testsRefused;

  /** The session has ended; its locks are kept. */
  void end(int session) {
    ended.add(session);
  }

  /** The locks of a session that has ended are not kept any more. */
  void lapse(int session) {
    held.keySet().removeIf(each -> each.session() == session);
    grantWaits();
  }

  /** As a gateway's session opens it. */
  public LockSource session(int session) {
    return (by, file, owner) -> CompletableFuture.completedFuture(new Locks(session, owner));
  }

  /** All that is locked by a session for an owner. */
  List<ByteRange> locked(int session, ByteString owner) {
    return of(new Key(session, LockSpace.BYTES, owner)).all().list();
  }

  boolean isFree() {
    return held.values().stream().allMatch(each -> each.all().isEmpty());
  }

  private Held of(Key key) {
    return held.getOrDefault(key, new Held(ByteRanges.NONE, ByteRanges.NONE));
  }

  private Optional<Key> inTheWay(Key key, ByteRange range, LockMode mode, boolean again) {
    return held.entrySet().stream()
        .filter(each -> !each.getKey().equals(key) && each.getKey().space() == key.space())
        .filter(each -> !(again && isKept(each.getKey(), key)))
        .filter(each -> each.getValue().hinders(range, mode))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private boolean isKept(Key key, Key successor) {
    return ended.contains(key.session())
        && key.space() == successor.space()
        && key.owner().equals(successor.owner());
  }

  /** In the place of what is kept of the owner, too. */
  private void lock(Key key, ByteRange range, LockMode mode) {
    held.replaceAll((each, its) -> isKept(each, key) ? its.without(range) : its);
    held.put(key, of(key).with(range, mode));
  }

  private void grantWaits() {
    for (Waiting each : List.copyOf(waits)) {
      if (each.granted().isDone()) {
        waits.remove(each);
      } else if (inTheWay(each.key(), each.range(), each.mode(), true).isEmpty()) {
        waits.remove(each);
        lock(each.key(), each.range(), each.mode());
        each.granted().complete(null);
      }
    }
  }

  private static <T> CompletableFuture<T> refused(ErrorCode code) {
    return CompletableFuture.failedFuture(new WeftException(code, "as the test wants it"));
  }

  private final class Locks implements OwnerLocks {
    private final Key key;

    Locks(int session, RangeOwner owner) {
      this.key = new Key(session, owner.space(), owner.key());
    }

    @Override
    public CompletableFuture<Void> lockAgain(ByteRange range, LockMode mode, Duration patience) {
      asked++;
      if (inTheWay(key, range, mode, true).isEmpty()) {
        lock(key, range, mode);
        return CompletableFuture.completedFuture(null);
      }
      if (patience.isZero()) {
        return refused(ErrorCode.LOCKED);
      }
      CompletableFuture<Void> granted = new CompletableFuture<>();
      waits.add(new Waiting(key, range, mode, granted));
      return granted;
    }

    @Override
    public CompletableFuture<Boolean> reclaim(ByteRange range, LockMode mode) {
      return taken(range, mode, false);
    }

    @Override
    public CompletableFuture<Boolean> takeOver(ByteRange range, LockMode mode) {
      return taken(range, mode, true);
    }

    private CompletableFuture<Boolean> taken(ByteRange range, LockMode mode, boolean live) {
      asked++;
      List<Key> before =
          held.keySet().stream()
              .filter(
                  each ->
                      !each.equals(key)
                          && each.space() == key.space()
                          && each.owner().equals(key.owner()))
              .filter(each -> live || ended.contains(each.session()))
              .toList();
      if (held.entrySet().stream()
          .filter(each -> !each.getKey().equals(key) && !before.contains(each.getKey()))
          .filter(each -> each.getKey().space() == key.space())
          .anyMatch(each -> each.getValue().hinders(range, mode))) {
        return refused(ErrorCode.LOCKED);
      }
      ByteRanges all = of(key).all().within(range);
      for (Key each : before) {
        Held its = of(each);
        for (ByteRange part : its.shared().within(range).list()) {
          held.put(key, of(key).with(part, LockMode.SHARED));
        }
        for (ByteRange part : its.exclusive().within(range).list()) {
          held.put(key, of(key).with(part, LockMode.EXCLUSIVE));
        }
        all = all.plus(its.all().within(range));
        held.put(each, its.without(range));
      }
      return CompletableFuture.completedFuture(all.contains(range));
    }

    @Override
    public CompletableFuture<Boolean> unlock(ByteRange range) {
      asked++;
      boolean all = of(key).all().contains(range);
      held.put(key, of(key).without(range));
      grantWaits();
      return CompletableFuture.completedFuture(all);
    }

    @Override
    public CompletableFuture<Optional<RangeHolder>> test(ByteRange range, LockMode mode) {
      asked++;
      if (testsRefused) {
        return refused(ErrorCode.PERMISSION_DENIED);
      }
      return CompletableFuture.completedFuture(
          inTheWay(key, range, mode, false)
              .map(
                  other ->
                      new RangeHolder(
                          "client",
                          other.session(),
                          other.owner(),
                          of(other).all().list().get(0),
                          true,
                          ended.contains(other.session()))));
    }

    @Override
    public boolean isHeld() {
      return !ended.contains(key.session());
    }
  }
}

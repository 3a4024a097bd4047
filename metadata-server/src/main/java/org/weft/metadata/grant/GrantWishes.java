package org.weft.metadata.grant;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/**
 * Write grants that others want (P 6.5, 6.8). Clients were refused because of them, or a lost
 * component is to be written anew. Idle holders give them back when asked; a holder that does not
 * loses nothing. Holders are asked again and again as long as a client or a repair waits.
 *
 * <p>A file that was given back for a repair is kept free for it for a while: a client that wants
 * to write meanwhile waits. The time is bounded, and a pause follows. So a file that takes long
 * does not delay its writer again and again.
 *
 * <p>All of it is of this process alone. Pure, confined to the volume's thread.
 */
public final class GrantWishes {
  /** A client or repair that waits asks again within this. */
  static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** How long a client that wants to write waits for a repair that was given the file. */
  static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(8);

  /** How long no repair asks for the file again after that. */
  static final long REST_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Files that may be wanted at the same time; holders of others are not asked. */
  static final int MAX_FILES = 1_000;

  /** Repairs alone do not exceed this bound. Clients that wait are served all the same. */
  static final int MAX_FILES_FOR_REPAIR = MAX_FILES / 2;

  /** Clients that wait for one file. */
  static final int MAX_ASKERS = 16;

  private final GrantTable grants;
  private final TreeMap<ObjectId, Wish> wishes = new TreeMap<>();

  /**
   * A holder is to be asked.
   *
   * @param forRepair no client waits for it
   */
  public record Word(WriteGrant holder, boolean forRepair) {}

  /**
   * A client that waits.
   *
   * @param shared it would share the file
   */
  private record Asker(SessionId session, boolean shared) {
    /** The same session opens a file twice only where the ways to open it do not go together. */
    boolean wants(WriteGrant grant) {
      return !session.equals(grant.session()) || shared != grant.shared();
    }
  }

  private static final class Wish {
    private final Map<Asker, Long> askedNanos = new LinkedHashMap<>();
    private final Map<Lsn, RepeatedPush> holders = new HashMap<>();
    private Optional<Long> repairNanos = Optional.empty();

    /** When it asked last, for longer than it counts as waiting. */
    private Optional<Long> repairedNanos = Optional.empty();

    private Optional<Long> heldOffNanos = Optional.empty();
    private Optional<Long> restingNanos = Optional.empty();

    private void forget(long nowNanos) {
      askedNanos.values().removeIf(asked -> nowNanos - asked >= WAIT_NANOS);
      repairNanos = repairNanos.filter(asked -> nowNanos - asked < WAIT_NANOS);
      restingNanos = restingNanos.filter(since -> nowNanos - since < REST_NANOS);
      heldOffNanos = heldOffNanos.filter(since -> nowNanos - since < REST_NANOS);
      repairedNanos = repairedNanos.filter(asked -> nowNanos - asked < REST_NANOS);
    }

    private void wantedForRepair(long nowNanos) {
      repairNanos = Optional.of(nowNanos);
      repairedNanos = repairNanos;
    }

    private boolean isOver() {
      return askedNanos.isEmpty()
          && repairedNanos.isEmpty()
          && restingNanos.isEmpty()
          && heldOffNanos.isEmpty();
    }
  }

  public GrantWishes(GrantTable grants) {
    this.grants = grants;
  }

  /** A client was asked to wait for the writers of the file. */
  public void wanted(ObjectId object, SessionId session, boolean shared, long nowNanos) {
    find(object, MAX_FILES, nowNanos)
        .filter(wish -> wish.askedNanos.size() < MAX_ASKERS)
        .ifPresent(wish -> wish.askedNanos.put(new Asker(session, shared), nowNanos));
  }

  /** A repair waits for the writers of the file. */
  public void wantedForRepair(ObjectId object, long nowNanos) {
    find(object, MAX_FILES_FOR_REPAIR, nowNanos)
        .filter(wish -> wish.restingNanos.isEmpty())
        .ifPresent(wish -> wish.wantedForRepair(nowNanos));
  }

  /** No client writes the file any more, and the repair that wanted it still waits. */
  public void stillWanted(ObjectId object, long nowNanos) {
    Wish wish = wishes.get(object);
    if (wish != null && wish.repairNanos.isPresent()) {
      wish.wantedForRepair(nowNanos);
    }
  }

  private Optional<Wish> find(ObjectId object, int mostFiles, long nowNanos) {
    Wish known = wishes.get(object);
    if (known != null) {
      known.forget(nowNanos);
    }
    if (known == null && wishes.size() >= mostFiles) {
      forget(nowNanos);
    }
    if (known == null && wishes.size() < mostFiles) {
      known = new Wish();
      wishes.put(object, known);
    }
    return Optional.ofNullable(known);
  }

  /**
   * A client wants to write a file that has no writer.
   *
   * @param underWay a component is being written anew
   * @return true if it is to wait for that, since the file was given back for it
   */
  public boolean holdsOff(ObjectId object, boolean underWay, long nowNanos) {
    Wish wish = wishes.get(object);
    if (wish == null) {
      return false;
    }
    wish.forget(nowNanos);
    if (wish.restingNanos.isPresent()
        || wish.repairNanos.isEmpty() && !(underWay && wish.repairedNanos.isPresent())) {
      return false;
    }
    long since = wish.heldOffNanos.orElse(nowNanos);
    wish.heldOffNanos = Optional.of(since);
    if (nowNanos - since < HOLD_NANOS) {
      return true;
    }
    wish.restingNanos = Optional.of(nowNanos);
    wish.repairNanos = Optional.empty();
    wish.repairedNanos = Optional.empty();
    wish.heldOffNanos = Optional.empty();
    return false;
  }

  /** Holders that are to be asked now, for the first time or again. */
  public List<Word> toSend(long nowNanos) {
    if (wishes.isEmpty()) {
      return List.of();
    }
    List<Word> words = new ArrayList<>();
    forget(nowNanos);
    wishes.forEach((object, wish) -> add(words, object, wish, nowNanos));
    return words;
  }

  private void forget(long nowNanos) {
    wishes.values().forEach(wish -> wish.forget(nowNanos));
    wishes.values().removeIf(Wish::isOver);
  }

  private void add(List<Word> words, ObjectId object, Wish wish, long nowNanos) {
    List<WriteGrant> held =
        grants.of(object).stream().filter(grant -> grant.state() == WriteGrant.State.HELD).toList();
    wish.holders.keySet().removeIf(number -> held.stream().noneMatch(each -> is(each, number)));
    for (WriteGrant grant : held) {
      boolean byClient = wish.askedNanos.keySet().stream().anyMatch(each -> each.wants(grant));
      boolean isWanted = byClient || wish.repairNanos.isPresent();
      if (isWanted
          && wish.holders
              .computeIfAbsent(grant.number(), number -> new RepeatedPush(nowNanos))
              .take(nowNanos)) {
        words.add(new Word(grant, !byClient));
      }
    }
  }

  private static boolean is(WriteGrant grant, Lsn number) {
    return grant.number().equals(number);
  }

  /** Files that are wanted, or were a short time ago. */
  int size() {
    return wishes.size();
  }
}

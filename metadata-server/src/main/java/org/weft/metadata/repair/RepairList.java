package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.weft.protocol.id.ObjectId;

/**
 * Files that are to be repaired, those first that may lose the fewest components more (P 6.8). A
 * file that cannot be repaired now stays, with the reason, and gets its turn again later. A file
 * that cannot be repaired before the cluster changes is set aside. It comes after all others, and
 * yields its room to any of them. The list is bounded. A file that is dropped or does not fit is to
 * be looked for again. Counts are kept while it changes: only {@link #hope} goes through all files.
 * Single-threaded.
 */
public final class RepairList {
  /** Why a file is not repaired now. */
  enum Reason {
    /** It has its turn when there is room. */
    READY,
    UNDER_WAY,
    /** A client writes it, or it is not at rest for another reason. */
    WAITING,
    /** An OSD that is needed did not answer, or failed. */
    FAILED,
    /** No OSD takes it: its map names all that are there, or the others are full. */
    WITHOUT_SPARE,
    /** More is lost than its code bears. */
    LOST
  }

  /** A file in the list. Changed by the list alone. */
  static final class Item {
    private final ObjectId object;
    private int left;
    private long bytes;
    private Reason reason = Reason.READY;
    private String words = "";
    private long notBeforeNanos;
    private int attempts;
    private boolean aside;
    private boolean countsAsEndangered;

    private Item(ObjectId object, int left, long bytes) {
      this.object = object;
      this.left = left;
      this.bytes = bytes;
    }

    ObjectId object() {
      return object;
    }

    int attempts() {
      return attempts;
    }

    /** Bytes that are to be written, as far as that is known. */
    long bytes() {
      return bytes;
    }
  }

  private static final Comparator<Item> MAX_ENDANGERED_FIRST =
      Comparator.<Item, Boolean>comparing(item -> item.aside)
          .thenComparingInt(item -> item.left)
          .thenComparing(item -> item.object);
  private static final Comparator<Item> BY_TIME =
      Comparator.<Item>comparingLong(item -> item.notBeforeNanos)
          .thenComparing(item -> item.object);

  private static final Comparator<Item> BY_OBJECT = Comparator.comparing(item -> item.object);

  private final Map<ObjectId, Item> items = new HashMap<>();
  private final TreeSet<Item> ready = new TreeSet<>(MAX_ENDANGERED_FIRST);
  private final TreeSet<Item> later = new TreeSet<>(BY_TIME);

  /** Those that were set aside and are not under way. */
  private final TreeSet<Item> aside = new TreeSet<>(BY_OBJECT);

  /** Those that the primary itself is to copy, and that wait until it has a turn. */
  private final TreeSet<Item> turns = new TreeSet<>(MAX_ENDANGERED_FIRST);

  /** Those that something stands in the way of. */
  private final Map<Reason, TreeSet<Item>> hindered = new EnumMap<>(Reason.class);

  private final Map<Reason, Integer> counts = new EnumMap<>(Reason.class);
  private final int most;
  private int endangered;
  private long bytes;
  private boolean lacking;

  /**
   * @param most files that it holds
   */
  public RepairList(int most) {
    this.most = most;
    for (Reason reason :
        List.of(Reason.WAITING, Reason.FAILED, Reason.WITHOUT_SPARE, Reason.LOST)) {
      hindered.put(reason, new TreeSet<>(BY_OBJECT));
    }
  }

  /**
   * There is something to repair of a file. Where there is no room for it, the least endangered
   * goes, or this one does not come in: then something {@linkplain #isLacking is lacking}.
   *
   * @param left how many more components it may lose
   * @param bytes that are to be written, as far as known
   */
  void add(ObjectId object, int left, long bytes) {
    Item known = items.get(object);
    if (known == null) {
      if (items.size() >= most && !makeRoom(left)) {
        return;
      }
      Item item = new Item(object, left, bytes);
      items.put(object, item);
      ready.add(item);
      enter(item);
      this.bytes += bytes;
      return;
    }
    boolean wasReady = ready.remove(known);
    boolean awaitsTurn = turns.remove(known);
    leave(known);
    known.left = Math.min(known.left, left);
    enter(known);
    changeBytes(known, Math.max(known.bytes, bytes));
    if (wasReady) {
      ready.add(known);
    }
    if (awaitsTurn) {
      turns.add(known);
    }
  }

  /** False if nothing here is less endangered. */
  private boolean makeRoom(int left) {
    lacking = true;
    if (dropAside()) {
      return true;
    }
    if (ready.isEmpty() || ready.last().left <= left) {
      return false;
    }
    done(ready.pollLast());
    return true;
  }

  /** One that was set aside goes; false if there is none. */
  private boolean dropAside() {
    Item last = aside.pollLast();
    if (last == null) {
      return false;
    }
    lacking = true;
    ready.remove(last);
    later.remove(last);
    done(last);
    return true;
  }

  /** No room is left, nor can any be made of what was set aside. */
  boolean isFull() {
    return items.size() >= most && aside.isEmpty();
  }

  /** Files have had no room here since that was forgotten: they are to be looked for again. */
  boolean isLacking() {
    return lacking;
  }

  /** Whatever is lacking is being looked for. */
  void search() {
    lacking = false;
  }

  boolean contains(ObjectId object) {
    return items.containsKey(object);
  }

  /** The next whose turn it is; it is under way from now on. */
  Optional<Item> take(long nowNanos) {
    while (!later.isEmpty() && nowNanos - later.first().notBeforeNanos >= 0) {
      ready.add(later.pollFirst());
    }
    Item next = ready.pollFirst();
    if (next != null) {
      aside.remove(next);
      turns.remove(next);
    }
    if (next != null && next.reason == Reason.READY) {
      // What stood in its way before is said until it is known whether it still does.
      changeReason(next, Reason.UNDER_WAY, "");
    }
    return Optional.ofNullable(next);
  }

  /** A taken file is to be looked at again, at once. */
  void again(Item item, int left, long bytes) {
    item.left = left;
    item.aside = false;
    changeBytes(item, bytes);
    item.attempts = 0;
    changeReason(item, Reason.READY, "");
    ready.add(item);
  }

  /** A taken file gets its turn again at once, as endangered as it was. */
  void putBack(Item item) {
    item.aside = false;
    changeReason(item, Reason.READY, "");
    ready.add(item);
  }

  /**
   * Only the primary itself can copy the taken file, and it has no turn. It has its turn with
   * {@link #takeTurn}, or at that time, as it may be otherwise by then. Where others have no room
   * the least endangered goes.
   */
  void awaitTurn(Item item, long notBeforeNanos) {
    if (items.size() >= most && !makeRoom(item.left)) {
      done(item);
      return;
    }
    item.aside = false;
    changeReason(item, Reason.READY, "");
    item.notBeforeNanos = notBeforeNanos;
    later.add(item);
    turns.add(item);
  }

  /** The next that waits for a turn of the primary; it is under way from now on. */
  Optional<Item> takeTurn() {
    Item next = turns.pollFirst();
    if (next != null) {
      later.remove(next);
      ready.remove(next);
      changeReason(next, Reason.UNDER_WAY, "");
    }
    return Optional.ofNullable(next);
  }

  /** The taken file cannot be repaired now. Where others have no room it goes. */
  void putOff(Item item, Reason reason, String words, long notBeforeNanos) {
    if (items.size() >= most && !dropAside()) {
      lacking = true;
      done(item);
      return;
    }
    item.aside = false;
    hinder(item, reason, words);
    item.notBeforeNanos = notBeforeNanos;
    later.add(item);
  }

  /**
   * The taken file cannot be repaired before the cluster changes. It has its turn when there is
   * {@link #hope}, or at that time, if no other is ready then.
   */
  void setAside(Item item, Reason reason, String words, OptionalLong notBeforeNanos) {
    if (items.size() >= most) {
      lacking = true;
      done(item);
      return;
    }
    item.aside = true;
    hinder(item, reason, words);
    aside.add(item);
    if (notBeforeNanos.isPresent()) {
      item.notBeforeNanos = notBeforeNanos.getAsLong();
      later.add(item);
    }
  }

  private void hinder(Item item, Reason reason, String words) {
    item.attempts++;
    changeReason(item, reason, words);
  }

  /** The taken file is finished. */
  void done(Item item) {
    items.remove(item.object);
    turns.remove(item);
    changeBytes(item, 0);
    leave(item);
  }

  private void changeBytes(Item item, long changed) {
    bytes += changed - item.bytes;
    item.bytes = changed;
  }

  private void changeReason(Item item, Reason changed, String words) {
    leave(item);
    item.reason = changed;
    item.words = words;
    enter(item);
  }

  private void enter(Item item) {
    counts.merge(item.reason, 1, Integer::sum);
    if (hindered.containsKey(item.reason)) {
      hindered.get(item.reason).add(item);
    }
    item.countsAsEndangered = item.left <= 0 && item.reason != Reason.LOST;
    endangered += item.countsAsEndangered ? 1 : 0;
  }

  private void leave(Item item) {
    counts.merge(item.reason, -1, Integer::sum);
    if (hindered.containsKey(item.reason)) {
      hindered.get(item.reason).remove(item);
    }
    endangered -= item.countsAsEndangered ? 1 : 0;
  }

  /** OSDs have come or gone: what could not be done may be possible now. */
  void hope(long nowNanos) {
    List<Item> hoped = new ArrayList<>();
    for (Item item : List.copyOf(later)) {
      if (item.reason != Reason.WAITING) {
        later.remove(item);
        item.notBeforeNanos = nowNanos;
        hoped.add(item);
      }
    }
    for (Item item : aside) {
      if (!ready.contains(item)) {
        later.remove(item);
        item.notBeforeNanos = nowNanos;
        hoped.add(item);
      }
    }
    later.addAll(hoped);
  }

  boolean isEmpty() {
    return items.isEmpty();
  }

  int size() {
    return items.size();
  }

  long bytes() {
    return bytes;
  }

  /** Files that bear no further loss, and are not lost: they come first. */
  int endangered() {
    return endangered;
  }

  int count(Reason reason) {
    return counts.getOrDefault(reason, 0);
  }

  /** Files for that reason, in the order of objects. */
  List<ObjectId> objects(Reason reason) {
    return hindered.get(reason).stream().map(Item::object).toList();
  }

  /** Sentences on files for that reason, in the order of objects, at most so many. */
  List<String> words(Reason reason, int most) {
    return hindered.getOrDefault(reason, new TreeSet<>(BY_OBJECT)).stream()
        .limit(most)
        .map(item -> item.words)
        .toList();
  }
}

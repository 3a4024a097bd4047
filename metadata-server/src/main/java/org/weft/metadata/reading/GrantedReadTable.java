package org.weft.metadata.reading;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.SessionId;

/**
 * Which sessions hold read grants of which objects. There may be millions, so they lie in arrays,
 * 48 bytes each. A row is found by its session and object in one set of chains. It belongs to a
 * second set by its object, and to a list of its session's.
 *
 * <p>Pure, confined to the volume's thread.
 */
final class GrantedReadTable {
  private static final int NONE = -1;
  private static final int FIRST_ROWS = 64;
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /** A session with grants. */
  private static final class Holder {
    private final SessionId session;

    /** The first of its rows. */
    private int first = NONE;

    private int count;

    Holder(SessionId session) {
      this.session = session;
    }
  }

  private final Map<SessionId, Integer> indexes = new HashMap<>();

  /** By their indexes; null where the index is free. */
  private final List<Holder> holders = new ArrayList<>();

  private final Deque<Integer> freeHolders = new ArrayDeque<>();

  private long[] objects = new long[FIRST_ROWS];
  private long[] numbers = new long[FIRST_ROWS];
  private int[] holderOf = new int[FIRST_ROWS];
  private int[] nextInPairs = new int[FIRST_ROWS];
  private int[] nextInObjects = new int[FIRST_ROWS];
  private int[] beforeInObjects = new int[FIRST_ROWS];
  private int[] nextOfHolder = new int[FIRST_ROWS];
  private int[] beforeOfHolder = new int[FIRST_ROWS];

  /** First rows of the chains; as many chains as there is room for rows, a power of two. */
  private int[] pairs = chains(FIRST_ROWS);

  private int[] byObject = chains(FIRST_ROWS);

  /** Rows that were used and are not, chained by {@link #nextInPairs}. */
  private int free = NONE;

  private int used;
  private int size;

  private static int[] chains(int count) {
    int[] chains = new int[count];
    Arrays.fill(chains, NONE);
    return chains;
  }

  /** Grants of all sessions. */
  int size() {
    return size;
  }

  /** Grants of one session. */
  int sizeOf(SessionId session) {
    Integer index = indexes.get(session);
    return index == null ? 0 : holders.get(index).count;
  }

  /** The session holds a grant of the object. */
  boolean holds(SessionId session, ObjectId object) {
    Integer index = indexes.get(session);
    return index != null && find(index, object.value()) != NONE;
  }

  /** The session holds a grant of the object from now on, by that number. */
  void put(SessionId session, ObjectId object, long number) {
    int index = indexOf(session);
    int row = find(index, object.value());
    if (row == NONE) {
      row = newRow();
      objects[row] = object.value();
      holderOf[row] = index;
      chain(row);
      Holder holder = holders.get(index);
      beforeOfHolder[row] = NONE;
      nextOfHolder[row] = holder.first;
      if (holder.first != NONE) {
        beforeOfHolder[holder.first] = row;
      }
      holder.first = row;
      holder.count++;
      size++;
    }
    numbers[row] = number;
  }

  /** The session holds no grant of the object any more, unless by a larger number. */
  void remove(SessionId session, ObjectId object, long upTo) {
    Integer index = indexes.get(session);
    int row = index == null ? NONE : find(index, object.value());
    if (row != NONE && numbers[row] <= upTo) {
      drop(row);
    }
  }

  /** As the other one, of all objects. */
  void removeAll(SessionId session, long upTo) {
    Integer index = indexes.get(session);
    if (index == null) {
      return;
    }
    int row = holders.get(index).first;
    while (row != NONE) {
      int next = nextOfHolder[row];
      if (numbers[row] <= upTo) {
        drop(row);
      }
      row = next;
    }
  }

  /** Nothing is kept of the session. */
  void end(SessionId session) {
    removeAll(session, Long.MAX_VALUE);
    Integer index = indexes.remove(session);
    if (index != null) {
      holders.set(index, null);
      freeHolders.push(index);
    }
  }

  /** Some session holds a grant of the object. */
  boolean isHeld(ObjectId object) {
    long wanted = object.value();
    for (int row = byObject[objectSlot(wanted)]; row != NONE; row = nextInObjects[row]) {
      if (objects[row] == wanted) {
        return true;
      }
    }
    return false;
  }

  /** Sessions with a grant of the object, in no order. */
  List<SessionId> holders(ObjectId object) {
    long wanted = object.value();
    List<SessionId> found = new ArrayList<>();
    for (int row = byObject[objectSlot(wanted)]; row != NONE; row = nextInObjects[row]) {
      if (objects[row] == wanted) {
        found.add(holders.get(holderOf[row]).session);
      }
    }
    return found;
  }

  private int indexOf(SessionId session) {
    Integer known = indexes.get(session);
    if (known != null) {
      return known;
    }
    if (freeHolders.isEmpty()) {
      holders.add(null);
      freeHolders.push(holders.size() - 1);
    }
    int index = freeHolders.pop();
    holders.set(index, new Holder(session));
    indexes.put(session, index);
    return index;
  }

  private int find(int index, long object) {
    int row = pairs[pairSlot(index, object)];
    while (row != NONE && (objects[row] != object || holderOf[row] != index)) {
      row = nextInPairs[row];
    }
    return row;
  }

  private int newRow() {
    if (free != NONE) {
      int row = free;
      free = nextInPairs[row];
      return row;
    }
    if (used == objects.length) {
      grow();
    }
    return used++;
  }

  private void grow() {
    int rows = objects.length * 2;
    objects = Arrays.copyOf(objects, rows);
    numbers = Arrays.copyOf(numbers, rows);
    holderOf = Arrays.copyOf(holderOf, rows);
    nextInPairs = new int[rows];
    nextInObjects = new int[rows];
    beforeInObjects = new int[rows];
    nextOfHolder = Arrays.copyOf(nextOfHolder, rows);
    beforeOfHolder = Arrays.copyOf(beforeOfHolder, rows);
    pairs = chains(rows);
    byObject = chains(rows);
    // It grows when no row is free.
    for (int row = 0; row < used; row++) {
      chain(row);
    }
  }

  private void chain(int row) {
    chainPair(row);
    int slot = objectSlot(objects[row]);
    int first = byObject[slot];
    beforeInObjects[row] = NONE;
    nextInObjects[row] = first;
    if (first != NONE) {
      beforeInObjects[first] = row;
    }
    byObject[slot] = row;
  }

  private void chainPair(int row) {
    int slot = pairSlot(holderOf[row], objects[row]);
    nextInPairs[row] = pairs[slot];
    pairs[slot] = row;
  }

  private void unchainPair(int row) {
    int slot = pairSlot(holderOf[row], objects[row]);
    int before = NONE;
    for (int each = pairs[slot]; each != row; each = nextInPairs[each]) {
      before = each;
    }
    if (before == NONE) {
      pairs[slot] = nextInPairs[row];
    } else {
      nextInPairs[before] = nextInPairs[row];
    }
  }

  private void drop(int row) {
    unchainPair(row);
    int next = nextInObjects[row];
    int before = beforeInObjects[row];
    if (next != NONE) {
      beforeInObjects[next] = before;
    }
    if (before == NONE) {
      byObject[objectSlot(objects[row])] = next;
    } else {
      nextInObjects[before] = next;
    }
    Holder holder = holders.get(holderOf[row]);
    next = nextOfHolder[row];
    before = beforeOfHolder[row];
    if (next != NONE) {
      beforeOfHolder[next] = before;
    }
    if (before == NONE) {
      holder.first = next;
    } else {
      nextOfHolder[before] = next;
    }
    holder.count--;
    size--;
    nextInPairs[row] = free;
    free = row;
  }

  private int objectSlot(long object) {
    return spread(object) & byObject.length - 1;
  }

  private int pairSlot(int index, long object) {
    return spread(object ^ index * SPREAD) & pairs.length - 1;
  }

  private static int spread(long value) {
    long mixed = value * SPREAD;
    return (int) (mixed >>> 32);
  }
}

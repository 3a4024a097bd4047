package org.weft.recovery.resolve;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.weft.client.raid.ErasureCode;
import org.weft.client.stripe.base.BlockChecksums;
import org.weft.client.stripe.read.UnitRead;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.wire.Stamp;
import org.weft.recovery.plan.ComponentState;
import org.weft.recovery.plan.KnownFile;
import org.weft.recovery.plan.ResolvePlan;

/**
 * One block of each unit of a stripe, of which some may be older than the others (P 5.9).
 *
 * <p>If k of them are what they should be, the others are computed from those: nothing is lost.
 * Else each data block stays, for a client wrote what it holds; if all are there, the parities are
 * computed from them. If not, no parity can be told to belong to what is left. The parities are
 * lost, so that a reader of the absent block learns that it is gone.
 */
final class DoubtfulColumn {
  private static final int BLOCK_BYTES = BlockChecksums.BLOCK_BYTES;

  private final KnownFile known;
  private final ResolvePlan plan;
  private final ErasureCode code;
  private final Layout layout;
  private final long stripe;
  private final long offsetBytes;
  private final SortedMap<Integer, UnitRead> wants = new TreeMap<>();
  private final SortedMap<Integer, Stamp> stamps = new TreeMap<>();

  /**
   * What is to be done.
   *
   * @param written by component, the bytes that it is to hold
   * @param lost components whose block is lost from now on
   * @param older components that keep a block which is older than it should be
   */
  record Settlement(
      SortedMap<Integer, ByteBuffer> written, SortedSet<Integer> lost, SortedSet<Integer> older) {
    private Settlement() {
      this(new TreeMap<>(), new TreeSet<>(), new TreeSet<>());
    }
  }

  DoubtfulColumn(
      KnownFile known, ResolvePlan plan, ErasureCode code, long stripe, long offsetBytes) {
    this.known = known;
    this.plan = plan;
    this.code = code;
    this.layout = known.layout();
    this.stripe = stripe;
    this.offsetBytes = offsetBytes;
  }

  /** Where the blocks lie in their components. */
  long offsetBytes() {
    return offsetBytes;
  }

  /** The component holds something: it is to be read. */
  UnitRead read(int component) {
    // On the heap: the transport may hold on to what is written longer than the call lasts.
    UnitRead want = new UnitRead(component, offsetBytes, ByteBuffer.allocate(BLOCK_BYTES));
    wants.put(component, want);
    return want;
  }

  /** Under which ids a range with this block was written last. */
  synchronized void stamp(int component, List<Stamp> ofRange) {
    long block = offsetBytes / BLOCK_BYTES;
    ofRange.stream()
        .filter(each -> each.getFirstBlock() <= block)
        .filter(each -> block < each.getFirstBlock() + each.getBlockCount())
        .forEach(each -> stamps.put(component, each));
  }

  /** Once everything was read. */
  Settlement settle() {
    Settlement settlement = new Settlement();
    SortedSet<Integer> doubtful = doubtful();
    if (doubtful.isEmpty()) {
      return settlement;
    }
    ByteBuffer[] good = new ByteBuffer[layout.width()];
    ByteBuffer[] readable = new ByteBuffer[layout.width()];
    int count = 0;
    for (int place = 0; place < good.length; place++) {
      int component = componentAt(place);
      readable[place] = bytesOf(component);
      good[place] = doubtful.contains(component) ? null : readable[place];
      count += good[place] == null ? 0 : 1;
    }
    if (count >= layout.dataUnits()) {
      compute(good, readable, settlement);
      return settlement;
    }
    settlement.older().addAll(doubtful);
    boolean whole = true;
    for (int place = 0; place < layout.dataUnits(); place++) {
      whole &= readable[place] != null;
    }
    ByteBuffer[] data = readable.clone();
    for (int place = layout.dataUnits(); place < data.length; place++) {
      data[place] = null;
      if (!whole && isRead(place) && readable[place] != null) {
        settlement.lost().add(componentAt(place));
      }
    }
    if (whole) {
      compute(data, readable, settlement);
    }
    return settlement;
  }

  /** Computes from k blocks what others should hold; those that hold it stay as they are. */
  private void compute(ByteBuffer[] from, ByteBuffer[] readable, Settlement settlement) {
    ByteBuffer[] wanted = new ByteBuffer[from.length];
    for (int place = 0; place < wanted.length; place++) {
      if (from[place] == null && isRead(place)) {
        wanted[place] = ByteBuffer.allocate(BLOCK_BYTES);
      }
    }
    code.reconstruct(from, wanted);
    for (int place = 0; place < wanted.length; place++) {
      if (wanted[place] != null && !wanted[place].equals(readable[place])) {
        settlement.written().put(componentAt(place), wanted[place]);
      }
    }
  }

  /** Null if it is out of reach, or damaged. */
  private ByteBuffer bytesOf(int component) {
    UnitRead want = wants.get(component);
    if (want != null) {
      return want.failure() == null ? want.sink().slice(0, BLOCK_BYTES) : null;
    }
    // One that is gone holds nothing, too, and must have held something.
    boolean isZeros =
        plan.isOut(component)
            ? known.map().isMissing(component) && known.isZeros(component)
            : known.isZeros(component);
    return isZeros ? ByteBuffer.allocate(BLOCK_BYTES) : null;
  }

  private boolean isRead(int place) {
    return wants.containsKey(componentAt(place));
  }

  /** Data units by index, then parities. */
  private int componentAt(int place) {
    return place < layout.dataUnits()
        ? layout.dataComponent(stripe, place)
        : layout.parityComponent(stripe, place - layout.dataUnits());
  }

  private SortedSet<Integer> doubtful() {
    long block = offsetBytes / BLOCK_BYTES;
    SortedSet<Integer> doubtful = new TreeSet<>();
    for (int component : wants.keySet()) {
      ComponentState state = known.states().get(component);
      if (state.isGivenBack(block, block + 1)
          || plan.damaged().contains(component)
              && (othersAreNewer(component) || isBesidePunched(component))) {
        doubtful.add(component);
      }
    }
    return doubtful;
  }

  /** Another block was written under an id that the component may never have heard of. */
  private boolean othersAreNewer(int component) {
    List<Stamp> others = new ArrayList<>();
    stamps.forEach(
        (of, stamp) -> {
          if (of != component) {
            others.add(stamp);
          }
        });
    return others.stream()
        .anyMatch(each -> !plan.isAccountedFor(component, each.getGrant(), each.getSeq()));
  }

  /**
   * Another holds nothing here, and may once have. Punched blocks and cut ones carry no id, so
   * nothing tells whether the component knew of that. Where no component holds anything, nothing is
   * decoded but zeros.
   */
  private boolean isBesidePunched(int component) {
    int truncation = known.states().get(component).truncationNumber();
    return !stamps.isEmpty()
        && wants.keySet().stream()
            .filter(each -> each != component && !stamps.containsKey(each))
            .map(known.states()::get)
            .anyMatch(
                each ->
                    offsetBytes < each.componentBytes() || truncation < each.truncationNumber());
  }
}

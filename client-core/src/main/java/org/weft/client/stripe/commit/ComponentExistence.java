package org.weft.client.stripe.commit;

import java.util.BitSet;
import java.util.stream.Stream;
import org.weft.client.stripe.base.FileComponents;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/**
 * Tracks which components of a file exist as far as its writer knows, and which it has asked for (P
 * 4.2). Part of a {@link FileWriteMachine}: single-threaded.
 *
 * <p>A WRITE carries the right to create its component until the component has acknowledged one:
 * orders overtake each other on the way. The first order that establishes a length within a parity
 * group goes to every component of it, empty where there is nothing to store. None is complete
 * before all of them are there, so from then on an absent object is a lost one. If the order is
 * undone, the length is undone too (P 4.3). What must exist by the length that the file had is
 * never created (P 4.2). Under new terms the same goes for what must exist by everything that is
 * complete. OSDs that lost their power may have lost the rest again, and it is made again where it
 * is absent.
 *
 * <p>A component that was made for a write which is undone is still there, but has never heard of
 * the file any more (P 4.3). It counts as lost where the length calls for it. It is certain only
 * once a write that needs it is complete.
 */
final class ComponentExistence {
  private final Layout layout;
  private BitSet addressed;
  private final BitSet made;
  // Those that what is complete needs: no undoing takes back what they know of the length.
  private final BitSet certain;
  // Those that have ever acknowledged anything, or must exist.
  private final BitSet known;

  /** Of a file that has been that long before: what must exist by it is not made. */
  ComponentExistence(Layout layout, long sizeBytes) {
    this.layout = layout;
    this.made = FileComponents.existing(layout, sizeBytes);
    this.certain = (BitSet) made.clone();
    this.addressed = (BitSet) made.clone();
    this.known = (BitSet) made.clone();
  }

  boolean isMade(int component) {
    return made.get(component);
  }

  BitSet known() {
    return (BitSet) known.clone();
  }

  /** Others have made the file that long. */
  void grown(long sizeBytes) {
    BitSet existing = FileComponents.existing(layout, sizeBytes);
    made.or(existing);
    certain.or(existing);
    addressed.or(existing);
    known.or(existing);
  }

  /** Others have cut the file to that length: it is as when it is opened with that. */
  void cutByOther(long sizeBytes) {
    renew(sizeBytes);
    grown(sizeBytes);
  }

  /** A write is complete that establishes this length. */
  void completed(long eofBytes) {
    certain.or(FileComponents.existing(layout, eofBytes));
  }

  void acknowledged(int component, boolean underTheseTerms) {
    known.set(component);
    if (underTheseTerms) {
      made.set(component);
    }
  }

  /** An order is about to ask these. */
  void ask(BitSet targets) {
    addressed.or(targets);
  }

  /** Only orders that are still open ask for components. */
  void askOnly(Stream<OpenOrder> open) {
    addressed = (BitSet) certain.clone();
    open.forEach(order -> addressed.or(order.targets()));
  }

  /** Under new terms: of what is not complete OSDs may have lost what was made. */
  void renew(long completeBytes) {
    made.and(FileComponents.existing(layout, completeBytes));
    certain.and(made);
    addressed = (BitSet) made.clone();
  }

  /** What a file of that length needs, and no order has asked for. */
  BitSet notAsked(StorageMap map, long eofBytes) {
    return without(addressed, map, eofBytes);
  }

  /** What a file of that length needs, and does not exist for certain. */
  BitSet notCertain(StorageMap map, long eofBytes) {
    return without(certain, map, eofBytes);
  }

  private BitSet without(BitSet those, StorageMap map, long eofBytes) {
    BitSet rest = new BitSet();
    rest.set(0, FileComponents.groupsWithin(layout, eofBytes) * layout.width());
    rest.andNot(those);
    map.missing().forEach(rest::clear);
    return rest;
  }
}

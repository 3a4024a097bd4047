package org.weft.metadata.repair;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.ByteRanges;

/** Bad blocks of one object on one OSD, and how far their repair is. Confined to one thread. */
final class BadItem {
  enum State {
    /** To be tried. */
    NEW,
    /** The file has to come to rest first. */
    WAITING,
    /** It could not be done when it was tried last. */
    FAILED,
    /** Some of the blocks cannot be written anew, as things are. */
    HOPELESS,
    /** They were written anew, and the OSD has yet to see that. */
    DONE,
    /** The copy of a directory counts as left behind, and is caught up. */
    REFRESHED,
    /** The object, or its component there, is no part of the volume any more. */
    FOREIGN
  }

  private final ObjectId object;
  private final OsdId osd;
  private SortedSet<Long> blocks = new TreeSet<>();
  private State state = State.NEW;
  private String why = "";
  private ByteRanges gone = new ByteRanges(List.of());
  private long hopelessBlocks;
  private Optional<Long> notBeforeNanos = Optional.empty();
  private int attempts;

  BadItem(ObjectId object, OsdId osd) {
    this.object = object;
    this.osd = osd;
  }

  ObjectId object() {
    return object;
  }

  OsdId osd() {
    return osd;
  }

  /** Numbers in the component. */
  List<Long> blocks() {
    return new ArrayList<>(blocks);
  }

  State state() {
    return state;
  }

  String why() {
    return why;
  }

  int attempts() {
    return attempts;
  }

  ByteRanges gone() {
    return gone;
  }

  /** Notes the blocks that an OSD reported, and returns how many are new. */
  long heard(SortedSet<Long> now) {
    SortedSet<Long> added = new TreeSet<>(now);
    added.removeAll(blocks);
    blocks = new TreeSet<>(now);
    if (!added.isEmpty() && state != State.NEW) {
      becomes(State.NEW, "");
      notBeforeNanos = Optional.empty();
    }
    return added.size();
  }

  boolean isDue(long nowNanos) {
    return notBeforeNanos.isEmpty() || nowNanos - notBeforeNanos.get() >= 0;
  }

  /** It is tried again as soon as may be. */
  void hope() {
    if (state == State.FAILED || state == State.HOPELESS) {
      notBeforeNanos = Optional.empty();
    }
  }

  void tried() {
    attempts++;
  }

  void becomes(State next, String because, long nextTryNanos) {
    becomes(next, because);
    notBeforeNanos = Optional.of(nextTryNanos);
  }

  private void becomes(State next, String because) {
    state = next;
    why = because;
    gone = new ByteRanges(List.of());
    hopelessBlocks = 0;
  }

  void hopeless(String because, long count, ByteRanges bytes, long nextTryNanos) {
    becomes(State.HOPELESS, because, nextTryNanos);
    hopelessBlocks = count;
    gone = bytes;
  }

  long waitingBlocks() {
    return switch (state) {
      case NEW, WAITING, FAILED -> blocks.size();
      case HOPELESS, DONE, REFRESHED, FOREIGN -> 0;
    };
  }

  long hopelessBlocks() {
    return hopelessBlocks;
  }
}

package org.weft.client.stripe.commit;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.layout.Layout;

/** An order of a {@link WriteCourse}, and what the course knows of it. */
final class CourseOrder implements ComponentOrder {
  final int index;
  final int givenEpoch;
  final Set<Integer> acknowledged = new TreeSet<>();
  OpenOrder opened;
  CompletableFuture<Void> done;
  long firstSeq;
  int epoch;
  int released;
  boolean isOver;
  boolean isComplete;

  private final List<Integer> participants;
  private final List<Integer> followers;
  private final int seqCount;
  private final long eofBytes;
  private final boolean fitsAgain;
  private final boolean abortable;
  private boolean followed;

  /** An order that no component has to carry out. */
  static CourseOrder empty(int index, int epoch) {
    return new CourseOrder(index, epoch, List.of(), List.of(), 0, 0, true, false);
  }

  private CourseOrder(
      int index,
      int epoch,
      List<Integer> participants,
      List<Integer> followers,
      int seqCount,
      long eofBytes,
      boolean fitsAgain,
      boolean abortable) {
    this.index = index;
    this.givenEpoch = epoch;
    this.participants = participants;
    this.followers = followers;
    this.seqCount = seqCount;
    this.eofBytes = eofBytes;
    this.fitsAgain = fitsAgain;
    this.abortable = abortable;
  }

  /** A stripe write, or an order in two phases as an XOR write is. */
  static CourseOrder random(int index, int epoch, Random random, Layout layout) {
    List<Integer> all = new ArrayList<>(IntStream.range(0, layout.width()).boxed().toList());
    boolean phases = random.nextInt(4) == 0;
    // A stripe write has one data unit at least, and all parities.
    List<Integer> some =
        all.stream()
            .filter(each -> each == 0 || each >= layout.dataUnits() || random.nextInt(3) > 0)
            .toList();
    List<Integer> first = phases ? all.subList(0, 1) : some;
    List<Integer> then = phases ? all.subList(layout.dataUnits(), layout.width()) : List.of();
    long eof = phases ? 0 : random.nextInt(2) * layout.stripeBytes();
    return new CourseOrder(
        index, epoch, first, then, 1 + random.nextInt(3), eof, !phases, random.nextBoolean());
  }

  OpenOrder open() {
    opened = new OpenOrder(this);
    done = opened.done();
    return opened;
  }

  boolean isBeingUndone() {
    return !done.isDone() && opened.refusal() != null;
  }

  /** True if it was given before those terms, and components are to carry it out still. */
  boolean isDueBefore(int ofEpoch) {
    return givenEpoch < ofEpoch && !done.isDone() && opened.refusal() == null;
  }

  /** Other terms are in force: what components have acknowledged under the former is void. */
  void renewed() {
    acknowledged.clear();
    followed = false;
  }

  void numbered(long seq, int ofEpoch) {
    firstSeq = seq;
    epoch = ofEpoch;
  }

  long lastSeq() {
    return firstSeq + seqCount - 1;
  }

  List<Integer> all() {
    List<Integer> all = new ArrayList<>(participants);
    all.addAll(followers);
    return all;
  }

  boolean concerns(int component) {
    return participants.contains(component);
  }

  @Override
  public List<Integer> participants() {
    return participants;
  }

  @Override
  public List<Integer> nextPhase() {
    boolean last = followed;
    followed = true;
    return last ? List.of() : followers;
  }

  @Override
  public boolean fits(WriteTerms terms, boolean again) {
    return fitsAgain || !again && terms.file().map().missing().isEmpty();
  }

  @Override
  public boolean isAbortable(ErrorCode failure) {
    return abortable && failure == ErrorCode.NO_SPACE;
  }

  @Override
  public int seqCount() {
    return seqCount;
  }

  @Override
  public long eofBytes() {
    return eofBytes;
  }

  @Override
  public CompletableFuture<?> attempt(Try attempt) {
    throw new IllegalStateException("the machine carries out nothing");
  }

  @Override
  public void release() {
    released++;
  }

  @Override
  public String toString() {
    return "order " + index + " " + participants + " then " + followers + ", seq " + firstSeq;
  }
}

package org.weft.simulator.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.weft.simulator.model.Fill;

/**
 * Writes and reads of clients on the bytes of one file, whatever its name. Each byte is a register.
 * A read returns the latest write that was complete before it, a write that was under way, or a
 * write of unknown outcome. Once nothing is under way any more, two reads find the same. The length
 * is another register (P 4.3). Writes need not be atomic.
 *
 * <p>Moments are numbers that grow with each event; no two things are done in one moment.
 */
public final class FileHistory {
  /**
   * Bytes of a read.
   *
   * @param toTheEnd zeros stand for what the file did not have
   */
  private record Read(
      String actor,
      long opened,
      long start,
      long end,
      long position,
      int wanted,
      boolean toTheEnd,
      byte[] bytes) {}

  /** A length that a client was told. */
  private record Look(String actor, long start, long end, long length) {}

  /** From a power loss until the file is resolved, two reads need not find the same. */
  private record Unrest(long from, long until) {}

  /** No file is longer. */
  static final long MAX_BYTES = 1L << 60;

  private final String name;
  private final Changes bytes = new Changes();
  private final Changes lengths = new Changes();
  private final List<Read> reads = new ArrayList<>();
  private final List<Look> looks = new ArrayList<>();
  private final List<Unrest> unrests = new ArrayList<>();
  private final List<Writer> writers = new ArrayList<>();

  private final SetLengths set = new SetLengths();

  private final List<BrokenRule> findings = new ArrayList<>();
  private int writes;

  /**
   * An empty file.
   *
   * @param name for people
   */
  public FileHistory(String name) {
    this.name = name;
    ContentChange born = bytes("nothing written", 0, 0, Long.MAX_VALUE, Content.ZEROS);
    born.acknowledged(0, 0);
    born.durable();
    ContentChange empty = length("the manager", 0, 0, 0);
    empty.acknowledged(0, 0);
  }

  public String name() {
    return name;
  }

  private ContentChange bytes(String what, long moment, long from, long to, Content content) {
    ContentChange change = new ContentChange(what, moment, from, to, content);
    bytes.add(change);
    return change;
  }

  /** What must be said of the file, whatever is read. */
  void found(BrokenRule finding) {
    findings.add(finding);
  }

  /**
   * The manager let a client in to write alone. All earlier writers are out, and their unfinished
   * writes are done or undone for good (P 5.5). Another client may be let in while this opening is
   * under way. It may come after this one and yet be told before, since a frozen client hears late
   * of a grant that is over. The first acknowledged write of either shows which was last.
   *
   * @param stream writes count from the next flush on
   * @param asked when the opening began
   * @param length of the file in the writer's answer
   */
  public Writer opened(String actor, boolean stream, long asked, long moment, long length) {
    told(actor, asked, moment, length);
    Writer writer = new Writer(this, actor, stream, false, moment, length);
    if (follows(writer, asked)) {
      isAlone(writer);
    }
    writers.add(writer);
    return writer;
  }

  /**
   * Writers that were there when the opening was asked for are out; false if others came meanwhile.
   */
  private boolean follows(Writer next, long asked) {
    boolean last = true;
    for (Writer other : writers) {
      if (!next.isBeside(other)) {
        if (other.letIn() < asked) {
          other.superseded(next.letIn());
        } else {
          other.isUnsure();
          next.isUnsure();
          last = false;
        }
      }
    }
    return last;
  }

  private void isAlone(Writer writer) {
    long moment = writer.letIn();
    settled(moment);
    length(
            "the manager, as " + writer.actor() + " was let in",
            moment,
            writer.lengthFound(),
            writer.lengthFound())
        .acknowledged(moment, 0);
    writer.isAlone();
  }

  /**
   * A writer whose opening was not answered got an acknowledgement. Writers that had been let in
   * when it asked for that were let in before it, whenever their answers came.
   */
  void lives(Writer writer, long asked) {
    writers.stream()
        .filter(other -> !other.equals(writer) && !writer.isBeside(other))
        .filter(other -> other.letIn() < asked)
        .forEach(other -> other.superseded(Math.max(other.letIn(), writer.letIn())));
    if (!writer.wasAlone()) {
      isAlone(writer);
    }
  }

  /**
   * A client was let in to write beside others that share the file (P 6.5): only writers that did
   * not share it are out. From now on the file may be longer by what any of them writes, until one
   * is let in alone.
   *
   * @param gathers writes count from the next flush on
   * @param asked when the opening began
   * @param length of the file in the writer's answer
   */
  public Writer shared(String actor, boolean gathers, long asked, long moment, long length) {
    told(actor, asked, moment, length);
    length("all that share it with " + actor, moment, length, MAX_BYTES).failed();
    Writer writer = new Writer(this, actor, gathers, true, moment, length);
    writer.reached(asked, length);
    follows(writer, asked);
    writers.add(writer);
    return writer;
  }

  /** A client begins to write what {@link Fill} says of that number. */
  ContentChange write(String actor, int write, long moment, long from, long to) {
    writes = Math.max(writes, write + 1);
    return bytes(
        "write " + write + " of " + actor + " to " + from + ".." + to,
        moment,
        from,
        to,
        Content.of(write));
  }

  /** A client begins to punch a range, or to truncate behind an offset. */
  ContentChange zero(String actor, long moment, long from, long to) {
    return bytes("zeros by " + actor + " from " + from, moment, from, to, Content.ZEROS);
  }

  /** A client begins to set the length, or to keep the one that the manager then finds. */
  ContentChange length(String actor, long moment, long least, long most) {
    ContentChange change =
        new ContentChange(
            "length " + least + (least == most ? "" : ".." + most) + " by " + actor,
            moment,
            least,
            most + 1,
            Content.ZEROS);
    lengths.add(change);
    return change;
  }

  /** What clients set the length to. */
  SetLengths setLengths() {
    return set;
  }

  /** No client writes: whatever was left undone before is done or undone for good. */
  public void settled(long moment) {
    bytes.settle(moment);
    lengths.settle(moment);
    unrests.replaceAll(
        unrest ->
            unrest.until() == ContentChange.NEVER ? new Unrest(unrest.from(), moment) : unrest);
  }

  /** More machines lost power than the file can bear: what is not on disks may be gone. */
  public void doubted(long moment, long acknowledgedSinceNanos) {
    doubted(moment, moment, acknowledgedSinceNanos);
  }

  /**
   * The same of machines that lost power some time ago, and are one too many only now.
   *
   * @param askedBefore when the last of them lost power: what was asked for later did not rely on
   *     what they have lost
   */
  public void doubted(long moment, long askedBefore, long acknowledgedSinceNanos) {
    for (ContentChange change : bytes.all()) {
      // What is under way may be on its components already, and be acknowledged later.
      boolean recent = change.isRecent(acknowledgedSinceNanos);
      if (recent && !change.durable && change.start < askedBefore) {
        change.doubtfulFrom = Math.min(change.doubtfulFrom, moment);
      }
    }
    writers.forEach(writer -> writer.doubted(moment, acknowledgedSinceNanos));
    unrests.add(new Unrest(moment, ContentChange.NEVER));
  }

  /**
   * A client read.
   *
   * @param opened when the file was opened, or its length asked for again
   * @param wanted so many bytes, unless the file ends before
   */
  public void read(
      String actor, long opened, long start, long end, long position, int wanted, byte[] found) {
    reads.add(new Read(actor, opened, start, end, position, wanted, false, found));
  }

  /**
   * A client that shares the file read by the handle with which it writes. What it reads is its own
   * meanwhile, or that of readers alone: so the file does not end before a byte that was written.
   */
  public void readShared(
      Writer reader, long start, long end, long position, int wanted, byte[] found) {
    byte[] all = Arrays.copyOf(found, wanted);
    reads.add(new Read(reader.actor(), reader.letIn(), start, end, position, wanted, true, all));
  }

  /**
   * A listing showed a length. The file must have had this length at some time. A later length that
   * its writer published may be known to the writer alone (P 6.5).
   */
  public void listed(String actor, long end, long length) {
    looks.add(new Look(actor, 0, end, length));
  }

  /** A client learnt the length. */
  public void told(String actor, long start, long end, long length) {
    looks.add(new Look(actor, start, end, length));
  }

  /** How many reads and looks there were. */
  public int observations() {
    return reads.size() + looks.size();
  }

  /** Everything that no client should have seen. */
  public List<BrokenRule> check() {
    checkLengths();
    List<Read> inOrder = new ArrayList<>(reads);
    inOrder.sort((one, other) -> Long.compare(one.end, other.end));
    for (Read read : inOrder) {
      if (!read.toTheEnd) {
        lengthOf(read).ifPresent(findings::add);
      }
      bytesOf(read).ifPresent(findings::add);
    }
    return List.copyOf(findings);
  }

  private void checkLengths() {
    List<Look> inOrder = new ArrayList<>(looks);
    inOrder.sort((one, other) -> Long.compare(one.end, other.end));
    for (Look look : inOrder) {
      List<ContentChange> visible = lengths.visible(look.start, look.end);
      long most = set.most(bytes, look.start, look.end);
      if (look.length > most) {
        findings.add(
            new BrokenRule(
                "a length that the file cannot have",
                "%s: %s was told length %d between %d and %d; since its length was set it is at most %d; set were %s"
                    .formatted(name, look.actor, look.length, look.start, look.end, most, set)));
      } else if (visible.stream()
          .noneMatch(one -> one.from <= look.length && look.length < one.to)) {
        findings.add(
            new BrokenRule(
                "a length that the file cannot have",
                name
                    + ": "
                    + look.actor
                    + " was told length "
                    + look.length
                    + " between "
                    + look.start
                    + " and "
                    + look.end
                    + "; possible were "
                    + visible));
      } else if (isOpen(visible) && isQuiet(visible, look.start, look.end)) {
        remember(lengths, look.actor, look.start, look.end, look.length, look.length + 1);
      }
    }
  }

  /** There is more than one length to see. */
  private static boolean isOpen(List<ContentChange> visible) {
    return visible.size() > 1 || visible.get(0).to - visible.get(0).from > 1;
  }

  /** Nothing that can be seen was under way: a later look sees the same. */
  private boolean isQuiet(List<ContentChange> visible, long start, long end) {
    return visible.stream().allMatch(change -> change.overBefore(start))
        && unrests.stream().noneMatch(unrest -> unrest.from() < end && start < unrest.until());
  }

  private void remember(Changes in, String actor, long start, long end, long from, long to) {
    ContentChange seen =
        new ContentChange("as " + actor + " saw it", start, from, to, Content.ZEROS);
    seen.acknowledged(end, 0);
    doubtLater(seen);
    in.add(seen);
  }

  /** A later power loss may undo what a client saw. */
  private void doubtLater(ContentChange seen) {
    for (Unrest unrest : unrests) {
      if (unrest.from() > seen.end) {
        seen.doubtfulFrom = Math.min(seen.doubtfulFrom, unrest.from());
      }
    }
  }

  private Optional<BrokenRule> lengthOf(Read read) {
    long end = read.position + read.bytes.length;
    boolean full = read.bytes.length == read.wanted;
    List<ContentChange> visible = lengths.visible(read.opened, read.end);
    boolean possible =
        visible.stream()
            .anyMatch(
                one -> {
                  boolean longEnough = one.to - 1 >= end;
                  boolean endsThere = one.from <= end && end < one.to;
                  boolean endsBefore = read.bytes.length == 0 && one.from <= read.position;
                  return full ? longEnough : endsThere || endsBefore;
                });
    return possible
        ? Optional.empty()
        : Optional.of(
            new BrokenRule(
                "a length that the file cannot have",
                name
                    + ": "
                    + read.actor
                    + " opened it after "
                    + read.opened
                    + ", asked for "
                    + read.wanted
                    + " bytes at "
                    + read.position
                    + " and got "
                    + read.bytes.length
                    + " by "
                    + read.end
                    + "; possible lengths were "
                    + visible));
  }

  private Optional<BrokenRule> bytesOf(Read read) {
    long last = read.position + read.bytes.length;
    SortedSet<Long> borders = new TreeSet<>();
    borders.add(read.position);
    for (ContentChange change : bytes.all()) {
      border(borders, change.from, read.position, last);
      border(borders, change.to, read.position, last);
    }
    List<Long> from = new ArrayList<>(borders);
    List<ContentChange> quiet = new ArrayList<>();
    for (int index = 0; index < from.size(); index++) {
      long to = index + 1 < from.size() ? from.get(index + 1) : last;
      if (from.get(index) < to) {
        Optional<BrokenRule> wrong = segment(read, from.get(index), to, quiet);
        if (wrong.isPresent()) {
          return wrong;
        }
      }
    }
    quiet.forEach(bytes::add);
    return Optional.empty();
  }

  private static void border(SortedSet<Long> borders, long at, long from, long to) {
    if (from < at && at < to) {
      borders.add(at);
    }
  }

  private Optional<BrokenRule> segment(Read read, long from, long to, List<ContentChange> quiet) {
    List<ContentChange> visible = bytes.visible(from, to, read.start, read.end);
    ContentChange source = null;
    for (long offset = from; offset < to; offset++) {
      byte found = read.bytes[(int) (offset - read.position)];
      if (source == null || source.content.at(offset) != found) {
        source = source(visible, offset, found);
        if (source == null) {
          return Optional.of(wrong(read, offset, to, visible));
        }
      }
    }
    if (visible.size() > 1 && isQuiet(visible, read.start, read.end)) {
      ContentChange seen =
          new ContentChange(
              "as " + read.actor + " saw it",
              read.start,
              from,
              to,
              Content.seen(read.position, read.bytes));
      seen.acknowledged(read.end, 0);
      doubtLater(seen);
      quiet.add(seen);
    }
    return Optional.empty();
  }

  /** A change that puts this byte there; null if there is none. */
  private static ContentChange source(List<ContentChange> visible, long offset, byte found) {
    for (ContentChange change : visible) {
      if (change.content.at(offset) == found) {
        return change;
      }
    }
    return null;
  }

  private BrokenRule wrong(Read read, long offset, long to, List<ContentChange> visible) {
    int place = (int) (offset - read.position);
    List<Integer> writers = Fill.writersOf(read.bytes, place, offset, writes);
    String found = read.bytes[place] == 0 ? "zero" : "byte 0x%02x".formatted(read.bytes[place]);
    String source = writers.isEmpty() ? "no write's" : "as of write " + writers;
    return new BrokenRule(
        "a byte that no read could find there",
        name
            + ": "
            + read.actor
            + " read "
            + found
            + " ("
            + source
            + ") at offset "
            + offset
            + ", in "
            + read.position
            + ".."
            + (read.position + read.bytes.length)
            + " between "
            + read.start
            + " and "
            + read.end
            + "; up to "
            + to
            + " there could have been "
            + visible);
  }
}

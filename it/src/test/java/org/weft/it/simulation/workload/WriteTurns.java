package org.weft.it.simulation.workload;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.CreateOptions;
import org.weft.client.LayoutWish;
import org.weft.client.UpdateOptions;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutput;
import org.weft.it.simulation.check.FileHistory;
import org.weft.it.simulation.check.Seen;
import org.weft.it.simulation.check.Writer;
import org.weft.it.simulation.model.Fill;
import org.weft.it.simulation.model.Kind;
import org.weft.it.simulation.model.NameOperation;
import org.weft.protocol.rpc.RpcException;

/** What a hand does with the one file that it has open for writing. */
final class WriteTurns {
  private static final int BLOCK_BYTES = 4096;
  private static final int MOST_STRIPES = 8;
  private static final int SMALL_BYTES = 600;
  private static final int BEHIND_THE_END_BYTES = 9_000;
  private static final int MOST_TOGETHER = 6;
  private static final int MOST_HOT_STRIPES = 2;
  private static final int MOST_RESTS = 4;
  private static final int MOST_FOLLOWERS = 6;
  private static final int IDLE_OUT_OF = 10;

  private final Hand hand;
  private Writer history;
  private Writer closing;
  private WriteHandle handle;
  private WeftFile file;
  private WeftOutput stream;
  private String what = "";
  private String path = "";
  private long objectId;
  private boolean isGathering;
  private boolean fleeting;
  private int rests;
  private int followers;

  WriteTurns(Hand hand) {
    this.hand = hand;
  }

  private RandomGenerator random() {
    return hand.random();
  }

  private Histories histories() {
    return hand.histories();
  }

  boolean isOpen() {
    return handle != null;
  }

  /** By which it was opened. */
  String path() {
    return path;
  }

  /** The client is gone, be it while it closed a file. */
  void died() {
    if (history != null) {
      history.lost();
    }
    if (closing != null) {
      closing.lost();
    }
  }

  void open() {
    int kind = random().nextInt(100);
    if (isHot()) {
      openHot(kind);
    } else if (isAppending() && kind >= 15) {
      append(hand.workload().paths().file(random()));
    } else if (isShared() && kind >= 20) {
      update(hand.workload().paths().file(random()));
    } else if (kind < 45) {
      create();
    } else if (kind < 82) {
      update(hand.workload().paths().file(random()));
    } else {
      append(hand.workload().paths().file(random()));
    }
  }

  /** Whoever has it open does nothing for a while, now and then. */
  private boolean rests() {
    Geometry geometry = hand.workload().geometry();
    boolean may =
        geometry.has(Habit.REPAIRED)
            || geometry.has(Habit.APPENDING)
            || geometry.has(Habit.SHARING)
            || geometry.has(Habit.LASTING);
    return may && !fleeting && hand.workload().idling().nextInt(IDLE_OUT_OF) == 0;
  }

  private boolean isShared() {
    return hand.workload().geometry().has(Habit.SHARING);
  }

  private boolean isHot() {
    return hand.workload().geometry().has(Habit.HOT);
  }

  private boolean isAppending() {
    return hand.workload().geometry().has(Habit.APPENDING);
  }

  /** A file where everybody is, or one that is gone again soon. */
  private void openHot(int kind) {
    fleeting = false;
    if (kind < 24) {
      // Some stay open for long: what is removed under younger grants is not forgotten (P 6.6).
      boolean lasting = kind < 8;
      rests = lasting ? 1 + random().nextInt(MOST_RESTS) : 0;
      followers = lasting ? 0 : random().nextInt(MOST_FOLLOWERS);
      fleeting();
    } else if (kind < 40) {
      create();
    } else {
      update(hand.workload().paths().file(random()));
    }
  }

  /** A new file in place of what the path leads to, unless one is open already. */
  void replace(String replaced) {
    if (isOpen()) {
      turn();
    } else {
      create(replaced, true);
    }
  }

  /** The file is open for changes then, unless another one is open. */
  void openFor(String wanted) {
    if (isOpen()) {
      hand.next();
    } else {
      update(wanted);
    }
  }

  /** If its file is open for changes. */
  void writeTo(OpenUnit unit) {
    if (isAway()) {
      comeBack();
    } else if (file != null && path.equals(unit.path())) {
      write(unit.fromBytes(), unit.lengthBytes());
    } else {
      hand.next();
    }
  }

  /** Closes it, if it is open. */
  void endOf(String wanted) {
    if (isOpen() && path.equals(wanted)) {
      end();
    } else {
      hand.next();
    }
  }

  private void fleeting() {
    fleeting = true;
    create(hand.workload().paths().fleeting(random()));
  }

  private void create() {
    create(hand.workload().paths().any(random()));
  }

  private void create(String path) {
    create(path, random().nextInt(3) == 0);
  }

  private void create(String path, boolean overwrite) {
    List<LayoutWish> layouts = hand.workload().geometry().layouts();
    CreateOptions fresh = overwrite ? CreateOptions.replacing() : CreateOptions.newFile();
    // Else as the directory says.
    Optional<LayoutWish> wish =
        random().nextInt(3) != 0
            ? Optional.of(layouts.get(random().nextInt(layouts.size())))
            : Optional.empty();
    CreateOptions options = wish.map(fresh::withLayout).orElse(fresh);
    long asked = histories().moment();
    hand.names()
        .ask(
            new NameOperation.Create(path, overwrite),
            () -> hand.files().create(hand.workload().at(path), options),
            output -> Seen.object(output.objectId(), Optional.of(Kind.FILE)),
            output -> opened(path, output, asked));
  }

  private void append(String path) {
    long asked = histories().moment();
    hand.names()
        .ask(
            new NameOperation.Open(path),
            () -> hand.files().append(hand.workload().at(path)),
            output -> Seen.object(output.objectId(), Optional.of(Kind.FILE)),
            output -> opened(path, output, asked));
  }

  private void update(String path) {
    long asked = histories().moment();
    UpdateOptions options = hand.workload().geometry().updating(random());
    hand.names()
        .ask(
            new NameOperation.Open(path),
            () -> hand.files().openForUpdate(hand.workload().at(path), options),
            opened -> Seen.object(opened.objectId(), Optional.of(Kind.FILE)),
            opened -> opened(path, opened, options.gatherBytes() > 0, asked));
  }

  private void isOpen(String by, long object) {
    path = by;
    objectId = object;
    what = "object " + object;
  }

  private void opened(String by, WeftOutput output, long asked) {
    hand.workload().noticeLent(output.objectId());
    stream = output;
    isOpen(by, output.objectId());
    history =
        histories()
            .file(output.objectId())
            .opened(hand.name(), true, asked, histories().moment(), output.positionBytes());
    handle = WriteHandle.of(output);
  }

  private void opened(String by, WeftFile opened, boolean gathers, long asked) {
    hand.workload().noticeLent(opened.objectId());
    file = opened;
    isGathering = gathers;
    isOpen(by, opened.objectId());
    FileHistory ofFile = histories().file(opened.objectId());
    long size = opened.sizeBytes();
    history =
        isShared()
            ? ofFile.shared(hand.name(), gathers, asked, histories().moment(), size)
            : ofFile.opened(hand.name(), gathers, asked, histories().moment(), size);
    handle = WriteHandle.of(opened);
  }

  /**
   * Somebody is let in to write a file. Who has given it back before has nothing under way: all
   * that was written counts.
   */
  void noticeLent(long object) {
    if (handle != null && objectId == object && handle.isLent() && !history.isOver()) {
      gaveBack().ifPresent(attempt -> attempt.acknowledged(now(), histories().nanos()));
    }
  }

  private long now() {
    return histories().moment();
  }

  private Optional<Writer.Attempt> gaveBack() {
    return history.isOver() ? Optional.empty() : Optional.of(history.giveBack(now()));
  }

  /** Its grant went back while nothing was done: it is let in once more, as by opening the file. */
  private void comeBack() {
    Optional<Writer.Attempt> before = gaveBack();
    WriteHandle returning = handle;
    long asked = now();
    hand.ask(
        "come back to " + what,
        returning::comeBack,
        new Answer<>() {
          @Override
          public void done(Void nothing) {
            before.ifPresent(attempt -> attempt.acknowledged(now(), histories().nanos()));
            hand.workload().noticeLent(objectId);
            FileHistory ofFile = histories().file(objectId);
            boolean later = stream != null || isGathering;
            long size = returning.sizeBytes();
            history =
                stream == null && isShared()
                    ? ofFile.shared(hand.name(), later, asked, now(), size)
                    : ofFile.opened(hand.name(), later, asked, now(), size);
          }

          @Override
          public void failed(RpcException failure) {
            before.ifPresent(Writer.Attempt::failed);
            leave();
          }
        });
  }

  private boolean isAway() {
    return handle != null && !handle.isGranted();
  }

  /** A call failed, of which the file may be open still. */
  private void leave() {
    WriteHandle left = handle;
    forget();
    if (left != null) {
      var unused = left.abort();
    }
  }

  private void forget() {
    handle = null;
    file = null;
    stream = null;
    history = null;
    fleeting = false;
  }

  void turn() {
    if (isAway()) {
      comeBack();
      return;
    }
    if (rests()) {
      hand.restLong();
      return;
    }
    if (file != null && !isShared() && history.size() > 1) {
      Optional<Consumer<String>> beforeCut = hand.takeBeforeCut();
      if (beforeCut.isPresent()) {
        beforeCut.get().accept(path);
        setLength(random().nextLong(history.size()));
        return;
      }
    }
    int kind = random().nextInt(100);
    if (isHot()) {
      turnHot(kind);
    } else if (hand.workload().geometry().has(Habit.LOGGING)) {
      turnLog(kind);
    } else if (isAppending()) {
      turnAppending(kind);
    } else if (kind < 52) {
      write();
    } else if (kind < 66) {
      flush(kind < 61);
    } else if (kind < 80 && file != null) {
      change(kind);
    } else if (kind < 97) {
      end();
    } else {
      giveUp();
    }
  }

  private void turnHot(int kind) {
    if (fleeting) {
      turnFleeting();
    } else if (stream != null) {
      fill();
    } else if (kind < 72) {
      write();
    } else if (kind < 79) {
      flush(kind < 77);
    } else if (kind < 86) {
      change(kind - 8);
    } else if (kind < 96) {
      end();
    } else {
      giveUp();
    }
  }

  /** Record after record, most of them flushed, and now and then something else. */
  private void turnLog(int kind) {
    if (kind < 45) {
      write(history.size(), 1 + random().nextInt(SMALL_BYTES));
    } else if (kind < 92) {
      flush(kind < 86);
    } else if (kind < 95 && file != null) {
      setLength(random().nextLong(history.size() + 1));
    } else if (kind < 99) {
      end();
    } else {
      giveUp();
    }
  }

  /** A little, flushed, and once more. */
  private void turnAppending(int kind) {
    if (kind < 45) {
      write(history.size(), toBorder());
    } else if (kind < 85) {
      flush(kind < 80);
    } else if (kind < 97) {
      end();
    } else {
      giveUp();
    }
  }

  /** Up to where a unit ends, a little less, or a little more; or just anything. */
  private int toBorder() {
    if (random().nextInt(3) == 0) {
      return random().nextBoolean() ? 1 + random().nextInt(SMALL_BYTES) : length();
    }
    int unitBytes = hand.workload().geometry().layouts().get(0).unitBytes();
    int left = (int) (unitBytes - history.size() % unitBytes);
    int more = left + random().nextInt(3) - 1;
    return Math.max(1, more);
  }

  /** Written once, closed, and removed. */
  private void turnFleeting() {
    if (history.size() == 0) {
      write();
      return;
    }
    if (rests > 0) {
      rests--;
      hand.rest();
      return;
    }
    String removed = path;
    hand.hurry();
    end();
    hand.afterwards(() -> hand.names().unlink(removed));
    if (followers > 0) {
      followers--;
      hand.afterwards(this::fleeting);
    }
  }

  /** A new file gets all the stripes that it will have: they are changed in part from then on. */
  private void fill() {
    if (history.size() < most()) {
      write(history.size(), (int) (most() - history.size()));
    } else {
      end();
    }
  }

  private void change(int kind) {
    if (kind < 74 && isShared()) {
      write();
    } else if (kind < 74) {
      setLength(position(most()));
    } else {
      long from = position(history.size() + BLOCK_BYTES);
      punch(from, 1 + random().nextInt(2 * stripeBytes()));
    }
  }

  private int stripeBytes() {
    return hand.workload().geometry().stripeBytes();
  }

  private long most() {
    return (long) (isHot() ? MOST_HOT_STRIPES : MOST_STRIPES) * stripeBytes();
  }

  /** Anywhere up to there, often at a border of blocks. */
  private long position(long most) {
    long position = random().nextLong(most + 1);
    return random().nextBoolean() ? position : position / BLOCK_BYTES * BLOCK_BYTES;
  }

  private int length() {
    return switch (random().nextInt(4)) {
      case 0 -> 1 + random().nextInt(SMALL_BYTES);
      case 1 -> BLOCK_BYTES * (1 + random().nextInt(4));
      case 2 -> 1 + random().nextInt(stripeBytes());
      default -> 1 + random().nextInt(5 * stripeBytes() / 2);
    };
  }

  void write() {
    if (isAway()) {
      comeBack();
      return;
    }
    if (stream != null) {
      append();
      return;
    }
    long size = Math.min(history.size(), file.sizeBytes());
    if (size > BLOCK_BYTES && random().nextInt(3) == 0 == !isHot()) {
      writeTogether(size);
      return;
    }
    Optional<HotSpots.Spot> spot = hand.workload().hotSpots().maybe(objectId, random());
    long most = Math.min(history.size(), most()) + BEHIND_THE_END_BYTES;
    if (spot.isPresent()) {
      long near = random().nextBoolean() ? 0 : random().nextInt(2 * BLOCK_BYTES) - BLOCK_BYTES;
      long from = Math.max(0, Math.min(most, spot.get().fromBytes() + near));
      write(from, random().nextBoolean() ? spot.get().lengthBytes() : length());
    } else {
      write(position(most), length());
    }
  }

  private void append() {
    if (history.size() > most()) {
      end();
    } else {
      write(history.size(), length());
    }
  }

  private void write(long from, int length) {
    Hand.Part<Void> part = part(from, length, this::leave);
    hand.ask(part.what(), part.call(), part.answer());
    hand.workload().written(objectId, from, length);
  }

  private Hand.Part<Void> part(long from, int length, Runnable afterFailure) {
    int number = histories().nextWrite();
    ByteBuffer bytes = Fill.bytes(number, from, length);
    Writer.Attempt attempt = history.write(number, histories().moment(), from, from + length);
    WeftOutput output = stream;
    WeftFile updated = file;
    return new Hand.Part<>(
        "write " + number + " to " + from + ".." + (from + length) + " in " + what,
        () -> output != null ? output.write(bytes) : updated.write(from, bytes),
        hand.of(attempt, afterFailure));
  }

  /** Several writes at once, within the file: mostly at the same place of units of one stripe. */
  private void writeTogether(long size) {
    List<LayoutWish> layouts = hand.workload().geometry().layouts();
    LayoutWish layout = layouts.get(random().nextInt(layouts.size()));
    long stripeBytes = (long) layout.dataUnits() * layout.unitBytes();
    long stripe = random().nextLong(size) / stripeBytes * stripeBytes;
    int inUnit = random().nextInt(layout.unitBytes() / BLOCK_BYTES) * BLOCK_BYTES;
    int most = 1 + random().nextInt(layout.unitBytes() - inUnit);
    boolean[] failed = new boolean[1];
    List<Hand.Part<Void>> parts = new ArrayList<>();
    for (int count = 2 + random().nextInt(MOST_TOGETHER - 1); count > 0; count--) {
      long from =
          stripe + (long) random().nextInt(layout.dataUnits()) * layout.unitBytes() + inUnit;
      int length = (int) Math.min(most, size - from);
      if (length > 0) {
        parts.add(part(from, length, () -> failed[0] = true));
        hand.workload().written(objectId, from, length);
      }
    }
    if (parts.isEmpty()) {
      write(position(size), length());
      return;
    }
    hand.askTogether(
        parts,
        () -> {
          if (failed[0]) {
            leave();
          }
        });
  }

  private <T> void ask(String does, Writer.Attempt attempt, Supplier<CompletableFuture<T>> call) {
    hand.ask(does + " in " + what, call, hand.of(attempt, this::leave));
  }

  private void flush(boolean hflush) {
    ask(
        hflush ? "hflush" : "hsync",
        history.flush(histories().moment(), !hflush),
        () -> hflush ? handle.hflush() : handle.hsync());
  }

  private void setLength(long length) {
    ask(
        "length " + length,
        history.setLength(histories().moment(), length),
        () -> file.setLength(length));
  }

  private void punch(long from, long length) {
    ask(
        "punch " + from + ".." + (from + length),
        history.punch(histories().moment(), from, from + length),
        () -> file.punch(from, length));
  }

  /** Closes it. */
  void end() {
    WriteHandle ending = handle;
    if (isAway() && history.isOver()) {
      forget();
      hand.ask("close " + what + ", which was given back", ending::close, Hand.ignoring());
      return;
    }
    Writer.Attempt attempt = isAway() ? history.giveBack(now()) : history.close(now());
    closing = history;
    forget();
    hand.ask("close " + what, ending::close, hand.of(attempt, () -> closing = null));
  }

  private void giveUp() {
    WriteHandle ending = handle;
    history.lost();
    forget();
    hand.ask("give up " + what, ending::abort, Hand.ignoring());
  }
}

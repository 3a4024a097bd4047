package org.weft.simulator.workload;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.UpdateOptions;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutput;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.check.FileHistory;
import org.weft.simulator.check.Writer;
import org.weft.simulator.model.Fill;

/** What a hand does with the one file that it has open for writing. */
final class WriteTurns {
  private static final int BLOCK_BYTES = WritePlaces.BLOCK_BYTES;
  private static final int SMALL_BYTES = WritePlaces.SMALL_BYTES;
  private static final int BEHIND_THE_END_BYTES = 9_000;
  private static final int MAX_RESTS = 4;
  private static final int MAX_FOLLOWERS = 6;
  private static final int IDLE_OUT_OF = 10;

  private final ClientThread hand;
  private final WritePlaces places;
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

  WriteTurns(ClientThread hand) {
    this.hand = hand;
    this.places = new WritePlaces(hand.random(), hand.workload().geometry());
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

  /** The client is gone, perhaps while it closed a file. */
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

  /** A hand that has it open does nothing for a while, now and then. */
  private boolean rests() {
    Geometry geometry = hand.workload().geometry();
    boolean may =
        geometry.has(WorkloadBias.REPAIRED)
            || geometry.has(WorkloadBias.APPENDING)
            || geometry.has(WorkloadBias.SHARING)
            || geometry.has(WorkloadBias.LASTING);
    return may && !fleeting && hand.workload().idling().nextInt(IDLE_OUT_OF) == 0;
  }

  private boolean isShared() {
    return hand.workload().geometry().has(WorkloadBias.SHARING);
  }

  private boolean isHot() {
    return hand.workload().geometry().has(WorkloadBias.HOT);
  }

  private boolean isAppending() {
    return hand.workload().geometry().has(WorkloadBias.APPENDING);
  }

  /** A file where all clients are, or one that is gone again soon. */
  private void openHot(int kind) {
    fleeting = false;
    if (kind < 24) {
      // Some stay open for long: what is removed under younger grants is not forgotten (P 6.6).
      boolean lasting = kind < 8;
      rests = lasting ? 1 + random().nextInt(MAX_RESTS) : 0;
      followers = lasting ? 0 : random().nextInt(MAX_FOLLOWERS);
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
    long asked = histories().moment();
    hand.names().create(path, overwrite, output -> opened(path, output, asked));
  }

  private void append(String path) {
    long asked = histories().moment();
    hand.names().append(path, output -> opened(path, output, asked));
  }

  private void update(String path) {
    long asked = histories().moment();
    UpdateOptions options = hand.workload().geometry().updating(random());
    hand.names()
        .update(path, options, opened -> opened(path, opened, options.gatherBytes() > 0, asked));
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
   * A client is let in to write a file. A hand that has given it back before has nothing under way:
   * all that was written counts.
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
        new CallAnswer<>() {
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
          public void failed(WeftException failure) {
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
    if (isHot() && fleeting) {
      turnFleeting();
    } else if (isHot() && stream != null) {
      fill();
    } else {
      step(WriteStep.of(kind, hand.workload().geometry(), file != null));
    }
  }

  private void step(WriteStep step) {
    switch (step) {
      case READ -> read();
      case WRITE -> write();
      case WRITE_RECORD -> write(history.size(), 1 + random().nextInt(SMALL_BYTES));
      case WRITE_TO_BORDER -> write(history.size(), places.toBorder(history.size()));
      case HFLUSH -> flush(true);
      case HSYNC -> flush(false);
      case CUT -> setLength(random().nextLong(history.size() + 1));
      case SET_LENGTH -> setLength(places.position(places.most()));
      case PUNCH -> {
        long from = places.position(history.size() + BLOCK_BYTES);
        punch(from, 1 + random().nextInt(2 * places.stripeBytes()));
      }
      case END -> end();
      case GIVE_UP -> giveUp();
    }
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
    if (history.size() < places.most()) {
      write(history.size(), (int) (places.most() - history.size()));
    } else {
      end();
    }
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
    long most = Math.min(history.size(), places.most()) + BEHIND_THE_END_BYTES;
    if (spot.isPresent()) {
      long near = random().nextBoolean() ? 0 : random().nextInt(2 * BLOCK_BYTES) - BLOCK_BYTES;
      long from = Math.max(0, Math.min(most, spot.get().fromBytes() + near));
      write(from, random().nextBoolean() ? spot.get().lengthBytes() : places.length());
    } else {
      write(places.position(most), places.length());
    }
  }

  private void read() {
    new SharedReads(histories(), hand.workload().hotSpots(), places)
        .read(new SharedReads.Open(file, history, objectId), random(), hand::ask, this::leave);
  }

  private void append() {
    if (history.size() > places.most()) {
      end();
    } else {
      write(history.size(), places.length());
    }
  }

  private void write(long from, int length) {
    ClientThread.Part<Void> part = part(from, length, this::leave);
    hand.ask(part.what(), part.call(), part.answer());
    hand.workload().written(objectId, from, length);
  }

  private ClientThread.Part<Void> part(long from, int length, Runnable afterFailure) {
    int number = histories().nextWrite();
    ByteBuffer bytes = Fill.bytes(number, from, length);
    Writer.Attempt attempt = history.write(number, histories().moment(), from, from + length);
    WeftOutput output = stream;
    WeftFile updated = file;
    return new ClientThread.Part<>(
        "write " + number + " to " + from + ".." + (from + length) + " in " + what,
        () -> output != null ? output.write(bytes) : updated.write(from, bytes),
        hand.of(attempt, afterFailure));
  }

  /** Several writes at once, within the file: mostly at the same place of units of one stripe. */
  private void writeTogether(long size) {
    boolean[] failed = new boolean[1];
    List<ClientThread.Part<Void>> parts = new ArrayList<>();
    places.inOneStripe(
        size,
        (from, length) -> {
          parts.add(part(from, length, () -> failed[0] = true));
          hand.workload().written(objectId, from, length);
        });
    if (parts.isEmpty()) {
      write(places.position(size), places.length());
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
      hand.ask("close " + what + ", which was given back", ending::close, ClientThread.ignoring());
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
    hand.ask("give up " + what, ending::abort, ClientThread.ignoring());
  }
}

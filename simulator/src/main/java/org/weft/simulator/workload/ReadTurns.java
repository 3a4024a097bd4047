package org.weft.simulator.workload;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.weft.client.ReadOptions;
import org.weft.client.WeftInput;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.check.FileHistory;
import org.weft.simulator.check.Seen;
import org.weft.simulator.model.NameOperation;
import org.weft.testkit.names.NameKind;

/** What a hand does with the one file that it has open for reading. */
final class ReadTurns {
  private static final int BLOCK_BYTES = 4096;
  private static final int PIECES = 4;

  private final ClientThread hand;
  private WeftInput input;
  private String path = "";
  private long openedMoment;

  /** What was opened, whatever the stream says later. */
  private long objectId;

  ReadTurns(ClientThread hand) {
    this.hand = hand;
  }

  private RandomGenerator random() {
    return hand.random();
  }

  private Histories histories() {
    return hand.histories();
  }

  boolean isOpen() {
    return input != null;
  }

  /** By which it was opened. */
  String path() {
    return path;
  }

  boolean isOpen(long wanted) {
    return input != null && objectId == wanted;
  }

  void open() {
    String wanted = hand.workload().paths().file(random());
    long asked = histories().moment();
    hand.names()
        .ask(
            new NameOperation.Open(wanted),
            () -> hand.files().open(hand.workload().at(wanted), readingOf(wanted)),
            opened -> Seen.object(opened.status().objectId(), Optional.of(NameKind.FILE)),
            opened -> opened(wanted, opened, asked));
  }

  /** A part of the files is read with its parity. */
  private static ReadOptions readingOf(String path) {
    return ReadOptions.defaults().withVerifiedParity(path.hashCode() % 4 == 0);
  }

  private void opened(String by, WeftInput opened, long asked) {
    input = opened;
    path = by;
    openedMoment = asked;
    objectId = opened.status().objectId();
    file().told(hand.name(), asked, histories().moment(), opened.status().sizeBytes());
  }

  private FileHistory file() {
    return histories().file(objectId);
  }

  void turn() {
    boolean hot = hand.workload().geometry().has(WorkloadBias.HOT);
    int kind = random().nextInt(100);
    if (kind < (hot ? 85 : 70)) {
      read();
    } else if (kind < (hot ? 90 : 80)) {
      refresh();
    } else {
      end();
      hand.next();
    }
  }

  /** One of the first stripe; empty if there is no file, or it is not longer than a unit. */
  Optional<OpenUnit> unit(RandomGenerator drawing) {
    if (!isOpen()) {
      return Optional.empty();
    }
    long size = input.status().sizeBytes();
    return input
        .status()
        .map()
        .filter(map -> size > map.layout().unitBytes())
        .map(
            map -> {
              int unitBytes = map.layout().unitBytes();
              long units = Math.min(map.layout().dataUnits(), size / unitBytes);
              int unit = drawing.nextInt((int) units);
              return new OpenUnit(
                  path,
                  (long) unit * unitBytes,
                  unitBytes,
                  map.osdOf(map.layout().dataComponent(0, unit)));
            });
  }

  /** If there is a file still. */
  void read(OpenUnit unit) {
    if (isOpen()) {
      read(unit.fromBytes(), unit.lengthBytes());
    } else {
      hand.next();
    }
  }

  /** One of both, if there is a file still. */
  void readOn() {
    if (!isOpen()) {
      hand.next();
    } else if (random().nextBoolean()) {
      refresh();
    } else {
      read();
    }
  }

  /** Ends the reading; nothing is waited for. */
  void end() {
    if (input != null) {
      input.close();
      input = null;
    }
  }

  /** Somewhere, or where a client has written lately. */
  void read() {
    Optional<HotSpots.Spot> spot = hand.workload().hotSpots().maybe(objectId, random());
    if (spot.isPresent()) {
      read(spot.get().fromBytes(), spot.get().lengthBytes());
      return;
    }
    long size = input.status().sizeBytes();
    long position =
        random().nextInt(3) == 0 ? 0 : random().nextLong(size + 1 + size / 8) / 512 * 512;
    int most = 3 * hand.workload().geometry().stripeBytes();
    read(
        position,
        random().nextBoolean()
            ? 1 + random().nextInt(2 * BLOCK_BYTES)
            : 1 + random().nextInt(most));
  }

  /**
   * Reads the beginning of its file again and again, so that it is kept, changes the file, and
   * reads there again; others do the same. Files are closed before that, since no written file is
   * cached.
   */
  void cachedTurn() {
    if (!isOpen()) {
      open();
      return;
    }
    hand.afterwards(hand::endWriting);
    if (random().nextBoolean()) {
      // What was recalled is granted again after a second; and leases end.
      hand.afterwards(hand::rest);
    }
    // An opening of a file that was being written keeps nothing.
    hand.afterwards(this::refreshTurn);
    readPieces();
    hand.afterwards(this::change);
    readPieces();
    if (random().nextInt(6) == 0) {
      hand.afterwards(this::endTurn);
    } else if (random().nextInt(4) == 0) {
      hand.afterwards(this::refreshTurn);
    }
    hand.hurry();
    readPiece();
  }

  private void readPieces() {
    for (int times = 0; times < PIECES; times++) {
      hand.afterwards(this::readPiece);
    }
  }

  private void readPiece() {
    if (!isOpen()) {
      hand.next();
      return;
    }
    long position = Math.min(input.status().sizeBytes(), (long) random().nextInt(4) * BLOCK_BYTES);
    read(position, 1 + random().nextInt(BLOCK_BYTES));
  }

  /** A unit of its first stripe, every second time. */
  private void change() {
    if (random().nextBoolean()) {
      unit(random()).ifPresent(hand::change);
    }
    hand.next();
  }

  private void endTurn() {
    end();
    hand.next();
  }

  private void refreshTurn() {
    if (isOpen()) {
      refresh();
    } else {
      hand.next();
    }
  }

  private void read(long position, int wanted) {
    ByteBuffer target = ByteBuffer.allocate(wanted);
    FileHistory file = file();
    long start = histories().moment();
    long opened = openedMoment;
    hand.ask(
        "read " + position + ".." + (position + wanted) + " of " + file.name(),
        () -> input.read(position, target),
        new CallAnswer<>() {
          @Override
          public void done(Integer count) {
            byte[] found = new byte[Math.max(0, count)];
            target.get(0, found);
            file.read(hand.name(), opened, start, histories().moment(), position, wanted, found);
          }

          @Override
          public void failed(WeftException failure) {
            end();
          }
        });
  }

  private void refresh() {
    FileHistory file = file();
    long asked = histories().moment();
    hand.ask(
        "refresh " + file.name(),
        () -> input.refresh(),
        new CallAnswer<>() {
          @Override
          public void done(Long length) {
            openedMoment = asked;
            file.told(hand.name(), asked, histories().moment(), length);
          }

          @Override
          public void failed(WeftException failure) {
            // Nothing leads to it any more, or no manager answers: reads go on as before.
          }
        });
  }
}

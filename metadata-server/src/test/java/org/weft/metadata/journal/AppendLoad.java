package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.system.FileSegmentDirectory;
import org.weft.protocol.system.SystemEnvironment;

/**
 * The process that {@link JournalKillTest} kills. It appends to the journal in args[0] in epoch
 * args[1] as fast as it can. It prints each LSN index once it is acknowledged.
 */
final class AppendLoad {
  private static final int IN_FLIGHT = 64;

  private AppendLoad() {}

  public static void main(String[] args) throws Exception {
    long epoch = Long.parseLong(args[1]);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
    try (SystemEnvironment system = SystemEnvironment.create()) {
      FileJournal log =
          FileJournal.open(
              new FileSegmentDirectory(Path.of(args[0])),
              Samples.IDENTITY,
              system.environment().scheduler(),
              system.environment().random(),
              new JournalOptions(1 << 20, 256 << 10, 16 << 20, 1 << 14));
      Semaphore window = new Semaphore(IN_FLIGHT);
      Lsn start = Lsn.of(epoch, 0);
      out.println("open " + log.contents().lastLsn().value());
      for (long index = 0; ; index++) {
        window.acquire();
        Lsn lsn = Lsn.of(epoch, index);
        var appended =
            log.append(record(lsn))
                .whenComplete(
                    (done, failure) -> {
                      out.println(failure == null ? "ack " + lsn.value() : "failed " + failure);
                      window.release();
                    });
        if (index % 2_000 == 1_999) {
          var snapshot =
              log.writeSnapshot(
                  List.of(new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, lsn.value())));
          if (index % 4_000 == 3_999) {
            var dropped = snapshot.thenRun(() -> log.dropBelow(start));
          }
        }
      }
    }
  }

  /** Always the same record for an LSN, so that the test can make it again. */
  static JournalRecord record(Lsn lsn) {
    byte[] reply = new byte[200 + (int) (lsn.index() * 7919 % 700)];
    new Random(lsn.value()).nextBytes(reply);
    return new JournalRecord(
        lsn,
        List.of(
            new ObjectEffect.PutAttributes(Samples.attributes(lsn.index())),
            new LiveEffect.Reply(new SessionId(1), 1, lsn.index(), ByteString.copyFrom(reply)),
            new LiveEffect.Counter(LiveEffect.CounterKind.OBJECT, lsn.value())));
  }
}

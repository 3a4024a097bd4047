package org.weft.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.client.FileType;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

class TextTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "1023, 1023 B",
    "1024, 1 KiB",
    "1536, 1.5 KiB",
    "65536, 64 KiB",
    "1048575, 1 MiB",
    "1073741824, 1 GiB",
    "123456789012, 115 GiB",
    "9223372036854775807, 8 EiB",
    "-2048, -2 KiB"
  })
  void bytesAreShownInUnitsOf1024(long bytes, String text) {
    assertEquals(text, ByteText.of(bytes));
  }

  @ParameterizedTest
  @CsvSource({
    "FILE, 0644, -rw-r--r--",
    "DIRECTORY, 01777, drwxrwxrwt",
    "DIRECTORY, 01776, drwxrwxrwT",
    "FILE, 04755, -rwsr-xr-x",
    "FILE, 02644, -rw-r-Sr--",
    "SYMLINK, 0777, lrwxrwxrwx"
  })
  void modesAreShownAsLsDoes(FileType type, String octal, String text) {
    int mode = Integer.parseInt(octal, 8);
    assertEquals(text, ModeText.of(type, mode));
    assertEquals(mode, Integer.parseInt(ModeText.octal(mode), 8));
  }

  @Test
  void failuresSayWhatToDoUnlessTheServerDid() {
    assertEquals(
        "/a: no; `weft fs ls` shows what is there",
        FailureText.of(new WeftException(ErrorCode.NOT_FOUND, "/a: no")));
    assertEquals(
        "/a: no; ask ann",
        FailureText.of(new WeftException(ErrorCode.NOT_FOUND, "/a: no; ask ann")));
    assertEquals(
        "/x: permission denied on this machine", FailureText.of(new AccessDeniedException("/x")));
    assertEquals(
        "/x: No space left on device",
        FailureText.of(new FileSystemException("/x", null, "No space left on device")));
    assertEquals("one line", FailureText.of(new IOException("one\n  line")));
  }

  @Test
  void someFailuresEndEverything() {
    assertTrue(FailureText.endsAll(new WeftException(ErrorCode.NO_SPACE, "full")));
    assertFalse(FailureText.endsAll(new WeftException(ErrorCode.NOT_FOUND, "no")));
    assertFalse(FailureText.endsAll(new IOException("local")));
  }

  @Test
  void progressShowsShareRateAndTimeLeft() {
    AtomicLong now = new AtomicLong();
    StringWriter err = new StringWriter();
    Progress progress =
        new Progress(new PrintWriter(err), Progress.Style.TERMINAL, 80, now::get, "put f");
    progress.expect(100 << 20, 1);
    now.set(TimeUnit.SECONDS.toNanos(2));
    progress.addBytes(25 << 20);
    assertEquals(
        "put f   25% [=====               ]  25 MiB of 100 MiB  12.5 MiB/s  ETA 0:06",
        progress.line());
    assertTrue(err.toString().startsWith("\rput f   25%"), err.toString());

    progress.finish("put f: done");
    assertTrue(err.toString().endsWith("\r" + " ".repeat(75) + "\rput f: done\n"), err.toString());
  }

  @Test
  void progressOfATreeCountsFiles() {
    AtomicLong now = new AtomicLong();
    Progress progress =
        new Progress(
            new PrintWriter(new StringWriter()), Progress.Style.TERMINAL, 80, now::get, "put d");
    progress.expect(2_000, 10_000);
    now.set(TimeUnit.SECONDS.toNanos(1));
    progress.addBytes(1_000);
    progress.addItem();
    assertEquals(
        "put d    0% [                    ]  1000 B of 2 KiB  1 of 10,000 files  1000 B/s"
            + "  ETA 2:45:24",
        progress.line());
  }

  @Test
  void linesOnATerminalAreNeverWiderThanIt() {
    AtomicLong now = new AtomicLong();
    StringWriter err = new StringWriter();
    Progress progress =
        new Progress(
            new PrintWriter(err), Progress.Style.TERMINAL, 40, now::get, "put " + "n".repeat(60));
    now.set(TimeUnit.SECONDS.toNanos(1));
    progress.addBytes(1);
    assertEquals(40, err.toString().length(), err.toString());
  }

  @Test
  void hiddenProgressPrintsNothing() {
    AtomicLong now = new AtomicLong();
    StringWriter err = new StringWriter();
    Progress progress =
        new Progress(new PrintWriter(err), Progress.Style.HIDDEN, 80, now::get, "put f");
    now.set(TimeUnit.MINUTES.toNanos(1));
    progress.addBytes(1);
    progress.finish("done");
    assertEquals("", err.toString());
  }
}

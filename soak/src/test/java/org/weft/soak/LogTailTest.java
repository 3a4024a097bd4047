package org.weft.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is known of a file at the moment when another client took it. */
class LogTailTest {
  private static final String PATH = "/soak/grown-1";

  @TempDir Path directory;

  private static SoakOp grow(long number, int position, int length) {
    return new SoakOp(number, SoakOp.Kind.GROW, PATH, SoakOp.NOTHING, position, length);
  }

  private LoggedFile known(Path log, long nanos) throws Exception {
    return LogTail.until(log, nanos).files().get(PATH);
  }

  @Test
  void regrantToTheOwnerIsNoViolationByTheTaker() throws Exception {
    Path log = directory.resolve("owner.log");
    SoakOp pending = grow(3, 1_000, 7);
    SoakOp later = grow(4, 1_007, 500);
    String begun =
        """
        begin 1 1 GROWING %s - 0 0
        done 2 1 0
        begin 3 %s
        done 4 2 0
        begin 5 %s
        """
            .formatted(PATH, grow(2, 0, 1_000), pending);
    Files.writeString(log, begun + "fail 100 3 GRANT_REVOKED\n");
    byte[] taken = grow(2, 0, 1_000).bytes();
    assertFalse(known(log, Long.MAX_VALUE).wentOnSince(known(log, 50)), "its next call failed");
    Files.writeString(log, begun + "done 100 3 0\n");
    assertFalse(known(log, Long.MAX_VALUE).wentOnSince(known(log, 50)), "an answer came late");
    Files.writeString(log, begun + "done 100 3 0\nbegin 110 " + later + "\ndone 120 4 0\n");
    assertTrue(known(log, Long.MAX_VALUE).wentOnSince(known(log, 50)));
    assertEquals(Optional.empty(), ContentCheck.atRest(known(log, 50), taken));
    assertTrue(ContentCheck.atRest(known(log, Long.MAX_VALUE), taken).isPresent());
  }
}

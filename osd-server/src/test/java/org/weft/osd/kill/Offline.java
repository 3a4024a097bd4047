package org.weft.osd.kill;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.weft.osd.check.CheckListener;
import org.weft.osd.check.CheckReport;
import org.weft.osd.check.StoreCheck;

/** Checks a store that no process has open. */
final class Offline {
  private Offline() {}

  static void assertSound(Path data) throws IOException {
    CheckReport report = StoreCheck.run(data, true, CheckListener.NONE);
    assertTrue(report.isSound(), () -> "the store is damaged: " + report.findings());
  }
}

package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.volume.operation.repair.ReportFailure;
import org.weft.metadata.volume.state.FailureReports;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

class ReportFailureTest {
  private static final int OSDS = 6;

  private TestVolume volume;
  private TestClient client;

  @BeforeEach
  void oneClient() throws WeftException {
    volume = TestVolume.formatted(5);
    client = volume.superuser();
  }

  private void report(int osd) throws WeftException {
    client.execute(
        new ReportFailure(new ObjectId(9), new OsdId(osd), 0, ErrorCode.BAD_MEDIA, "a bad block"));
  }

  @Test
  void reportsOfOsdsThatDoNotExistAreDropped() throws WeftException {
    for (int osd = OSDS + 1; osd < 500; osd++) {
      report(osd);
    }
    assertEquals(List.of(), volume.reportedFailures());
  }

  @Test
  void reportsOfAnOsdThatIsDownAreShown() throws WeftException {
    volume.osds(OSDS, List.of(new OsdId(3)));
    report(3);
    report(3);
    assertEquals(1, volume.reportedFailures().size());
    String shown = volume.reportedFailures().get(0);
    assertTrue(shown.startsWith("clients reported OSD 3 2 times"), shown);
  }

  @Test
  void droppedReportIsWorthALineOnceInAWhile() {
    FailureReports reports = new FailureReports();
    long minute = 60_000;
    assertTrue(reports.dropped(minute));
    assertFalse(reports.dropped(2 * minute));
    assertTrue(reports.dropped(7 * minute));
  }
}

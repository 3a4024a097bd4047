package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.protocol.rpc.RpcException;
import org.weft.protocol.wire.LayoutMessage;

/** Layouts that leave no OSD to rebuild on, and that people asked for (P 6.8). */
class FullLayoutsTest {
  private static final int OSDS = 6;

  private TestVolume volume;
  private TestClient weft;

  @BeforeEach
  void format() throws RpcException {
    volume = TestVolume.formatted(30);
    volume.osds(OSDS);
    weft = volume.superuser();
    weft.mkdir("/d", 0777, 0, false);
  }

  private static LayoutMessage.Builder code(int data, int parity, int groups) {
    return LayoutMessage.newBuilder().setDataUnits(data).setParityUnits(parity).setGroups(groups);
  }

  private List<String> said() {
    return volume.machine().counts().withoutSpare().stream()
        .map(
            full ->
                "%s: %d x %d+%d"
                    .formatted(
                        full.directory(),
                        full.layout().groups(),
                        full.layout().dataUnits(),
                        full.layout().parityUnits()))
        .toList();
  }

  @Test
  void groupsThatADirectoryAsksForAndThatTakeAllOsdsAreNamed() throws RpcException {
    weft.layout("/d", code(2, 1, 2));
    assertEquals(List.of(), said(), "no file is so yet");
    weft.write("/d/f", 3);
    assertEquals(List.of("/d: 2 x 2+1"), said());
    volume.osds(OSDS + 1);
    assertEquals(List.of(), said(), "there is one more OSD");
  }

  @Test
  void aCodeOverAllOsdsIsNamedWhoeverAskedForIt() throws RpcException {
    weft.layout("/d", code(5, 1, 0));
    weft.write("/d/f", 3);
    assertEquals(List.of("/d: 1 x 5+1"), said());
  }

  @Test
  void aDirectoryThatIsGivenANarrowerLayoutIsNamedNoMore() throws RpcException {
    weft.layout("/d", code(2, 1, 2));
    weft.write("/d/f", 3);
    weft.layout("/d", code(2, 1, 1));
    assertEquals(List.of(), said());
    weft.write("/d/g", 3);
    assertEquals(List.of(), said());
  }

  @Test
  void aDirectoryThatIsRemovedIsNamedNoMore() throws RpcException {
    weft.layout("/d", code(2, 1, 2));
    weft.write("/d/f", 3);
    weft.unlink("/d/f");
    weft.rmdir("/d");
    assertEquals(List.of(), said());
  }

  @Test
  void whatLeavesAnOsdOutAndWhatHasNoParityIsNotNamed() throws RpcException {
    weft.layout("/d", code(2, 1, 1));
    weft.write("/d/f", 3);
    weft.layout("/d", code(6, 0, 1));
    weft.write("/d/g", 3);
    weft.write("/h", 3);
    assertEquals(List.of(), said());
  }

  @Test
  void theDirectoriesThatGotAFileLastAreKept() throws RpcException {
    for (int i = 0; i <= FullLayouts.MOST_DIRECTORIES; i++) {
      weft.mkdir("/d-" + i, 0777, 0, false);
      weft.layout("/d-" + i, code(2, 1, 2));
      weft.write("/d-" + i + "/f", 3);
    }
    List<String> said = said();
    assertEquals(FullLayouts.MOST_DIRECTORIES, said.size());
    assertEquals("/d-1: 2 x 2+1", said.get(0));
  }
}

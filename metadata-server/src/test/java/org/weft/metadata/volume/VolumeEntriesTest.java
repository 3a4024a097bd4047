package org.weft.metadata.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.LinkVolume;
import org.weft.metadata.volume.operation.name.UnlinkVolume;
import org.weft.metadata.volume.path.NodePath;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.PartitionId;

/** Where other volumes stand in this one. */
class VolumeEntriesTest {
  private static final PartitionId OTHER = new PartitionId(9);

  @Test
  void unansweredRootIsNotTakenForAMissingOne() {
    TestVolume volume = TestVolume.recovered(3, List.of(), List.of());
    NodePath path = TestClient.path("/a");
    for (Operation operation :
        List.of(new UnlinkVolume(path, OTHER), new LinkVolume(path, OTHER))) {
      WeftException refusal =
          assertThrows(WeftException.class, () -> volume.execute(null, operation));
      assertEquals(ErrorCode.TOO_MANY_LOST, refusal.code(), operation.toString());
    }
  }

  @Test
  void clientsDoNotSeeAnUnansweredRootAsMissing() throws WeftException {
    TestVolume volume = TestVolume.recovered(3, List.of(), List.of());
    TestClient client = volume.superuser();
    for (String path : List.of("/", "/a", "/a/b")) {
      WeftException refusal = assertThrows(WeftException.class, () -> client.attributes(path));
      assertEquals(ErrorCode.TOO_MANY_LOST, refusal.code(), path);
    }
  }

  @Test
  void aVolumeWhosePathIsGoneIsUnlinkedAlready() throws WeftException {
    TestVolume volume = TestVolume.formatted(1);
    int records = volume.records().size();
    volume.own(new UnlinkVolume(TestClient.path("/a/b"), OTHER));
    assertEquals(records, volume.records().size());
  }
}

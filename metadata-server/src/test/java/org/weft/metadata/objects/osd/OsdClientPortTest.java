package org.weft.metadata.objects.osd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.objects.OsdPort.StoredAttributes;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BatchItemReply;
import org.weft.protocol.wire.BatchReply;
import org.weft.protocol.wire.GetAttributesReply;

/** What an OSD says of several objects in one reply. */
class OsdClientPortTest {
  private static final OsdId OSD = new OsdId(3);
  private static final ObjectId FIRST = new ObjectId(70_000);
  private static final ObjectId SECOND = new ObjectId(70_001);

  private static Attributes file(ObjectId object) {
    StorageMap map = StorageMap.of(Layout.of(1, 1), List.of(new OsdId(1), new OsdId(2)));
    return Attributes.create(object, NodeKind.FILE, map).build();
  }

  private static BatchItemReply page(int page, ByteString value) {
    AttributePage stored =
        AttributePage.newBuilder().setPage(page).setLsn(77).setValue(value).build();
    return BatchItemReply.newBuilder()
        .setBody(GetAttributesReply.newBuilder().addPages(stored).build().toByteString())
        .build();
  }

  private static BatchItemReply attributes(ObjectId object) {
    return page(0, AttributesCodec.toMessage(file(object)).toByteString());
  }

  private static BatchItemReply error(ErrorCode code) {
    return BatchItemReply.newBuilder().setError(code.number()).setMessage("refused").build();
  }

  /** What is understood of the answer for the first object; the second one's is in order. */
  private static Map<ObjectId, Optional<StoredAttributes>> decode(BatchItemReply first) {
    BatchReply reply = BatchReply.newBuilder().addItems(first).addItems(attributes(SECOND)).build();
    Map<ObjectId, Optional<StoredAttributes>> told =
        OsdClientPort.decode(OSD, List.of(FIRST, SECOND), reply);
    assertEquals(file(SECOND), told.get(SECOND).orElseThrow().attributes());
    return told;
  }

  @Test
  void everyObjectHasItsOwn() {
    StoredAttributes first = decode(attributes(FIRST)).get(FIRST).orElseThrow();
    assertEquals(file(FIRST), first.attributes());
    assertEquals(new Lsn(77), first.lsn());
  }

  @Test
  void absentObjectIsReportedMissing() {
    assertEquals(Optional.empty(), decode(error(ErrorCode.NO_SUCH_OBJECT)).get(FIRST));
    assertEquals(
        Optional.empty(),
        decode(page(1, ByteString.EMPTY)).get(FIRST),
        "it has the object, and no such page");
  }

  @Test
  void unreadableObjectIsNotTakenForAbsent() {
    ByteString garbage = ByteString.copyFromUtf8("garbage");
    assertEquals(Set.of(SECOND), decode(page(0, garbage)).keySet());
    assertEquals(
        Set.of(SECOND), decode(BatchItemReply.newBuilder().setBody(garbage).build()).keySet());
    assertEquals(Set.of(SECOND), decode(attributes(SECOND)).keySet(), "those of another object");
  }

  @Test
  void temporaryRefusalIsNotReported() {
    assertEquals(
        Map.of(SECOND, decode(attributes(FIRST)).get(SECOND)),
        decode(error(ErrorCode.INVALID_ARGUMENT)));
  }

  @Test
  void shortReplyLeavesTheRestUnanswered() {
    BatchReply reply = BatchReply.newBuilder().addItems(attributes(FIRST)).build();
    Map<ObjectId, Optional<StoredAttributes>> told =
        OsdClientPort.decode(OSD, List.of(FIRST, SECOND), reply);
    assertEquals(List.of(FIRST), List.copyOf(told.keySet()));
  }
}

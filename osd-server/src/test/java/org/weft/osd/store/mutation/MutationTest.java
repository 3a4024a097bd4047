package org.weft.osd.store.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.osd.store.value.ObjectTag;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.PartitionId;

/** What each kind of mutation says of itself: on a full disk, and before a commit. */
class MutationTest {
  private static final ObjectName NAME = ObjectName.of(7, 1 << 16);
  private static final Authority CLIENT = Authority.ofClient(100, 0);
  private static final Authority MANAGER = Authority.ofManager(1, 100);
  private static final ByteSpan BYTES =
      new ByteSpan(
          4_096,
          List.of(ByteBuffer.allocate(100), ByteBuffer.allocate(50).position(20)),
          new int[1]);
  private static final WriteNumbers NUMBERS = new WriteNumbers(3, 1, List.of(0, 1), 2);
  private static final FileLength LENGTH = new FileLength(9_000, 0);

  private static ObjectWrite write(Authority by, ObjectCreation creation) {
    return new ObjectWrite(NAME, by, BYTES, NUMBERS, LENGTH, creation, false);
  }

  private static XorWrite xor(Authority by) {
    return new XorWrite(NAME, by, BYTES, NUMBERS, LENGTH, false);
  }

  /** "urgent" may use the space that is kept; "adds" is refused while only that is left. */
  private static String onAFullDisk(Mutation mutation) {
    return (mutation.isUrgent() ? "urgent" : "") + (mutation.adds() ? "adds" : "");
  }

  @Test
  void clientsAddAndManagersMayUseWhatIsKept() {
    assertEquals("adds", onAFullDisk(write(CLIENT, ObjectCreation.NONE)));
    assertEquals("urgent", onAFullDisk(write(MANAGER, ObjectCreation.NONE)));
    assertEquals("adds", onAFullDisk(new XorExchange(xor(CLIENT))));
    assertEquals("urgent", onAFullDisk(new XorExchange(xor(MANAGER))));
    assertEquals("", onAFullDisk(attributes(CLIENT)));
    assertEquals("urgent", onAFullDisk(attributes(MANAGER)));
  }

  private static AttributeUpdate attributes(Authority by) {
    return new AttributeUpdate(NAME, by, List.of(), Optional.empty(), List.of(), 0, 0, false);
  }

  @Test
  void whatEndsWritesOrAppliesADeltaIsUrgentForAnyCaller() {
    for (Mutation each :
        List.of(
            new XorApplication(xor(CLIENT)),
            new WriteAbort(NAME, CLIENT, 3, 1, false),
            new WriteCompletion(NAME, CLIENT, 3, 0, 0, false),
            new ObjectPunch(NAME, CLIENT, 0, 4_096, 3, 2, 0),
            new PartitionDrop(new PartitionId(7)))) {
      assertEquals("urgent", onAFullDisk(each), each::toString);
    }
  }

  @Test
  void onlyWritesAndCompletionsAreCommittedInline() {
    assertEquals(
        Optional.of(new InlineReach(NAME, CLIENT, 4_096, 130, true)),
        write(CLIENT, ObjectCreation.of(new ObjectTag(1, 0, 4, 1, 65_536, 1, 100))).inlineReach());
    assertEquals(
        Optional.of(new InlineReach(NAME, CLIENT, 4_096, 130, false)),
        new XorExchange(xor(CLIENT)).inlineReach());
    assertEquals(
        Optional.of(new InlineReach(NAME, CLIENT, 4_096, 130, false)),
        new XorApplication(xor(CLIENT)).inlineReach());
    assertEquals(
        Optional.of(new InlineReach(NAME, CLIENT, 0, 0, true)),
        new WriteCompletion(NAME, CLIENT, 3, 0, 0, false).inlineReach());
    AttributeValue first = new AttributeValue(0, 1, new byte[1]);
    assertEquals(
        Optional.empty(),
        write(CLIENT, new ObjectCreation(Optional.empty(), Optional.of(first))).inlineReach(),
        "attributes are looked up in the tables");
    assertEquals(Optional.empty(), new WriteAbort(NAME, CLIENT, 3, 1, false).inlineReach());
    assertEquals(Optional.empty(), attributes(CLIENT).inlineReach());
  }
}

package org.weft.protocol.acl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.protocol.wire.AclChangeMessage;
import org.weft.protocol.wire.AclEntryMessage;

/** Entries as they are written, sent and ordered. */
class AclEntryTest {
  @Test
  void entriesAreReadAsTheyAreWritten() {
    String text = "user::rwx,user:bob:r-x,group::r--,mask::--x,other::---,default:group:team:-w-";
    List<AclEntry> entries = AclEntry.parseAll(text, true);
    assertEquals(text, String.join(",", entries.stream().map(AclEntry::toString).toList()));
    for (AclEntry entry : entries) {
      assertEquals(entry, AclEntry.fromMessage(entry.toMessage()));
    }
    List<AclEntry> sorted = new ArrayList<>(entries);
    java.util.Collections.reverse(sorted);
    sorted.sort(null);
    assertEquals(entries, sorted);
  }

  @Test
  void entriesToRemoveEndBehindTheName() {
    assertEquals(
        List.of(
            AclEntry.access(AclType.USER, "bob", 0),
            AclEntry.byDefault(AclType.GROUP, "", 0),
            AclEntry.access(AclType.MASK, "", 0)),
        AclEntry.parseAll("user:bob, default:group:, mask", false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "user",
        "user:bob",
        "users:bob:r--",
        "user:bob:rw",
        "user:bob:xwr",
        "mask:x:r--",
        "other:x:r--",
        "user:bob:r--:",
        "user:bob:r--,",
        "default:default:user::r--"
      })
  void anInvalidEntryIsRefusedWithTheRightForm(String text) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> AclEntry.parseAll(text, true));
    assertTrue(refused.getMessage().contains("ACL entry"), refused.getMessage());
  }

  @Test
  void anEntryHasThreeRightsAndAPlainName() {
    assertThrows(
        IllegalArgumentException.class,
        () -> AclEntry.access(AclType.USER, "bob", AclEntry.ALL + 1));
    assertThrows(IllegalArgumentException.class, () -> AclEntry.access(AclType.USER, "a\0b", 1));
    assertTrue(AclEntry.access(AclType.GROUP, "", 1).isBase());
    assertFalse(AclEntry.access(AclType.MASK, "", 1).isBase());
    assertFalse(AclEntry.access(AclType.GROUP, "x", 1).isBase());
  }

  @Test
  void anUnknownKindIsRefused() {
    assertThrows(
        IllegalArgumentException.class,
        () -> AclEntry.fromMessage(AclEntryMessage.getDefaultInstance()));
    assertThrows(
        IllegalArgumentException.class,
        () -> AclChange.fromMessage(AclChangeMessage.ACL_CHANGE_UNSPECIFIED));
    for (AclChange change : AclChange.values()) {
      assertEquals(change, AclChange.fromMessage(change.toMessage()));
    }
  }
}

package org.weft.protocol.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Messages that lie on disks and outlive a release (docs/formats.md): journals, attributes, and
 * SysMgr's log, snapshots and copies. Their fields keep number and type. New fields need no line in
 * {@code stored-fields.txt}; one that is changed or removed there is a new version of a format.
 */
class StoredSchemaTest {
  private static final List<FileDescriptor> FILES =
      List.of(
          FileAttributes.getDescriptor().getFile(),
          JournalRecordBody.getDescriptor().getFile(),
          ConfigurationSnapshot.getDescriptor().getFile());

  @Test
  void fieldsThatWereStoredKeepNumberAndType() throws IOException {
    Set<String> now = fields();
    Set<String> changed = new TreeSet<>();
    List<String> stored = stored();
    for (String field : stored) {
      if (!now.contains(field)) {
        changed.add(field);
      }
    }
    assertEquals(Set.of(), changed, "an older release has written these");
    assertTrue(stored.size() > 500, "fields that are kept: " + stored.size());
  }

  private static List<String> stored() throws IOException {
    try (InputStream in = StoredSchemaTest.class.getResourceAsStream("stored-fields.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  /** A line for each field and each value of an enum. */
  static Set<String> fields() {
    Set<String> lines = new TreeSet<>();
    for (FileDescriptor file : FILES) {
      file.getMessageTypes().forEach(message -> add(message, lines));
      file.getEnumTypes().forEach(values -> add(values, lines));
    }
    return lines;
  }

  private static void add(Descriptor message, Set<String> lines) {
    for (FieldDescriptor field : message.getFields()) {
      String type = field.getType().name().toLowerCase(Locale.ROOT);
      String of =
          switch (field.getJavaType()) {
            case MESSAGE -> " " + field.getMessageType().getFullName();
            case ENUM -> " " + field.getEnumType().getFullName();
            default -> "";
          };
      lines.add(
          "%s = %d %s%s%s"
              .formatted(
                  field.getFullName(),
                  field.getNumber(),
                  field.isRepeated() ? "repeated " : "",
                  type,
                  of));
    }
    message.getNestedTypes().forEach(nested -> add(nested, lines));
    message.getEnumTypes().forEach(values -> add(values, lines));
  }

  private static void add(EnumDescriptor values, Set<String> lines) {
    values.getValues().forEach(value -> lines.add(value.getFullName() + " = " + value.getNumber()));
  }
}

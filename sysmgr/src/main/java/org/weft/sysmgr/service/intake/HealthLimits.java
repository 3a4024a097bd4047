package org.weft.sysmgr.service.intake;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import java.util.List;
import org.weft.protocol.wire.VolumeHealth;

/**
 * Bounds how much of a manager's report on a volume is kept. No list is longer than the limits
 * below, and no sentence longer than {@link ReportLimits#sentence}. What a newer release adds is
 * dropped. It walks all fields, so that one which is added later is within limits as well.
 */
public final class HealthLimits {
  /** Of OSDs, and of what is said of each. */
  static final int MAX_ROWS = 10_000;

  /** Such as notes on a recovery, and exceeded quotas. */
  static final int MAX_SENTENCES = 100;

  private HealthLimits() {}

  /** The same message, with less in it where there was too much. */
  public static VolumeHealth within(VolumeHealth said) {
    return ((VolumeHealth.Builder) limited(said)).build();
  }

  private static Message.Builder limited(Message said) {
    Message.Builder kept = said.toBuilder().setUnknownFields(UnknownFieldSet.getDefaultInstance());
    said.getAllFields().forEach((field, value) -> kept.setField(field, limited(field, value)));
    return kept;
  }

  private static Object limited(FieldDescriptor field, Object value) {
    if (!field.isRepeated()) {
      return limitedOne(field, value);
    }
    int limit = field.getJavaType() == JavaType.STRING ? MAX_SENTENCES : MAX_ROWS;
    return ((List<?>) value).stream().limit(limit).map(each -> limitedOne(field, each)).toList();
  }

  private static Object limitedOne(FieldDescriptor field, Object value) {
    return switch (field.getJavaType()) {
      case STRING -> ReportLimits.sentence((String) value);
      case MESSAGE -> limited((Message) value).build();
      case INT, LONG, FLOAT, DOUBLE, BOOLEAN, BYTE_STRING, ENUM -> value;
    };
  }
}

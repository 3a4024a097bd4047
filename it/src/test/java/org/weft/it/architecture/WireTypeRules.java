package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.ArchTest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Generated messages are arguments and results of calls; state holds types of its own. Classes that
 * hold a message in a field all the same are listed in {@code wire-fields.txt}, which only gets
 * shorter. {@link ModuleDirectionTest} has this checked on the classes that it has read.
 */
final class WireTypeRules {
  private static final String WIRE = "org.weft.protocol.wire";

  /** Fewer would mean that nothing was looked at. */
  private static final int MIN_FIELDS = 5_000;

  /** Packages that show or fake messages: their fields are what was received or is sent. */
  private static final List<String> SHOWN =
      List.of("org.weft.cli.", "org.weft.testkit.", "org.weft.simulator.", "org.weft.soak.");

  @ArchTest
  static void noOtherStateHoldsAGeneratedMessage(JavaClasses classes) throws IOException {
    Set<String> holders = new TreeSet<>();
    int fields = 0;
    for (JavaClass each : classes) {
      for (JavaField field : each.getFields()) {
        fields++;
        if (holdsMessage(field) && SHOWN.stream().noneMatch(each.getName()::startsWith)) {
          holders.add(topLevel(each.getName()));
        }
      }
    }
    assertTrue(fields >= MIN_FIELDS, "fields: " + fields);
    assertEquals(String.join("\n", listed()), String.join("\n", holders));
  }

  private static boolean holdsMessage(JavaField field) {
    return !field.getModifiers().contains(JavaModifier.STATIC)
        && field.getType().getAllInvolvedRawTypes().stream()
            .anyMatch(type -> type.getPackageName().equals(WIRE));
  }

  private static String topLevel(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  private static List<String> listed() throws IOException {
    try (InputStream names = WireTypeRules.class.getResourceAsStream("wire-fields.txt")) {
      return new String(names.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }
}

package org.weft.it.architecture;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import org.weft.client.WeftPath;
import org.weft.client.acl.AclStatus;

/**
 * Packages use each other one way, and few classes use each other in a circle. {@link
 * ModuleDirectionTest} has them checked on the classes that it has read.
 */
final class PackageRules {

  /** Classes that use each other in a circle are understood only together. */
  private static final int MAX_CLASSES_OF_A_CYCLE = 8;

  /** Fewer would mean that nothing was looked at. */
  private static final int MIN_CLASSES = 1_000;

  /** Made by the compiler of messages, all of which name the file that they are in. */
  private static final String GENERATED = "org.weft.protocol.wire";

  /** The Java API names its access lists, and these name a path of the API. */
  @ArchTest
  static final ArchRule packagesHaveNoCycle =
      slices()
          .assignedFrom(new ByPackage("packages"))
          .should()
          .beFreeOfCycles()
          .ignoreDependency(AclStatus.class, WeftPath.class);

  @ArchTest
  static void noMoreThanEightClassesReachEachOther(JavaClasses classes) {
    ClassCycles cycles = new ClassCycles(classes, name -> !name.equals(GENERATED));
    assertTrue(cycles.classes() >= MIN_CLASSES, () -> "classes: " + cycles.classes());
    assertEquals(List.of(), cycles.above(MAX_CLASSES_OF_A_CYCLE));
  }

  private record ByPackage(String description) implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass each) {
      return SliceIdentifier.of(each.getPackageName());
    }

    @Override
    public String getDescription() {
      return description;
    }
  }
}

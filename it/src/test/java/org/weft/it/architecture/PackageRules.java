package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.List;

/**
 * Packages use each other one way, and few classes use each other in a circle. {@link
 * ModuleDirectionTest} has them checked on the classes that it has read.
 */
final class PackageRules {

  /** Classes that use each other in a circle are understood only together. */
  private static final int MAX_CLASSES_OF_A_CYCLE = 8;

  /** Fewer would mean that nothing was looked at. */
  private static final int MIN_CLASSES = 1_000;

  private static final int MIN_PACKAGES = 100;

  @ArchTest
  static void packagesHaveNoCycle(JavaClasses classes) {
    Cycles cycles = Cycles.ofPackages(classes, dependency -> true);
    assertTrue(cycles.size() >= MIN_PACKAGES, () -> "packages: " + cycles.size());
    assertEquals(List.of(), cycles.above(1));
  }

  @ArchTest
  static void noMoreThanEightClassesReachEachOther(JavaClasses classes) {
    Cycles cycles = Cycles.ofClasses(classes);
    assertTrue(cycles.size() >= MIN_CLASSES, () -> "classes: " + cycles.size());
    assertEquals(List.of(), cycles.above(MAX_CLASSES_OF_A_CYCLE));
  }
}

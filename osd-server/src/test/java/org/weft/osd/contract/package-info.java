/**
 * What any OSD does with the commands of P 5.3 to 5.5, checked on the real command service with its
 * store and on the fake one of the testkit alike: what is tested against the fake holds for the
 * real one.
 */
package org.weft.osd.contract;
